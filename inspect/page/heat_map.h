// Numbers from 0 to 1 as a picture: one pixel each, in a grayscale PNG within the page (ISO/IEC 15948).
// Style sheets colour it for light, dark and paper; scripts read the numbers back from it, to 1/255,
// and show them in a larger map.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kette {

struct HeatMap {
  std::string title;
  std::int64_t rows = 0, columns = 0;
  std::vector<float> values{};  ///< row-major; below 0 and NaN count as 0, above `most` as `most`
  float most = 1;               ///< what is darkest
  /// Which lists of the page's data under "labels" name the rows and the columns.
  std::string row_labels, column_labels;
  std::string note{};     ///< shown with the larger map
  bool wide = false;      ///< drawn as wide as there is room, and not square
  std::string caption{};  ///< above it, where it has one; empty: its title
};

/// A button with the picture, which scripts make open the larger map.
std::string heat_map(const HeatMap& map);
/// The same below its caption, for a <div class="strips">.
std::string titled_heat_map(const HeatMap& map);

/// The bytes of a PNG; pixels: one byte each, row-major.
std::string gray_png(std::int64_t rows, std::int64_t columns, std::span<const std::uint8_t> pixels);
/// RFC 4648, section 4.
std::string base64(std::string_view bytes);

}  // namespace kette

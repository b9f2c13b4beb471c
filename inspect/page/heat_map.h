// Heat maps of numbers from 0 to 1: a grayscale PNG in the page with one pixel per number (ISO/IEC 15948).
// Style sheets colour it for light, dark and print. Scripts read the numbers back, to 1/255, and show them in
// a larger map.
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
  float most = 1;               ///< the number of the strongest colour
  /// Keys of the page's data "labels" for the names of rows and columns.
  std::string row_labels, column_labels;
  std::string note{};     ///< shown with the larger map
  std::string unit{};     ///< of the numbers, for the scale
  std::string axes{};     ///< what its rows and columns are, below the titled map
  bool wide = false;      ///< as wide as the page allows, not square
  std::string caption{};  ///< for titled_heat_map(); empty: the title
};

/// HTML of a button with the picture. Scripts open the larger map.
std::string heat_map(const HeatMap& map);
/// The same with a caption and the scale above, for a <div class="strips">.
std::string titled_heat_map(const HeatMap& map);

/// The bytes of a PNG. pixels: one byte each, row-major.
std::string gray_png(std::int64_t rows, std::int64_t columns, std::span<const std::uint8_t> pixels);
/// RFC 4648, section 4.
std::string base64(std::string_view bytes);

}  // namespace kette

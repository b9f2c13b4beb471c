// A heat map with the names of its rows and columns, its scale, and its numbers where they fit: as SVG, which needs no
// script and prints well. For maps that are read one by one; many side by side are pictures (inspect/page/heat_map.h).
#pragma once

#include <span>
#include <string>
#include <vector>

namespace kette {

struct LabelledMap {
  std::string title;
  std::vector<std::string> rows, columns;
  std::span<const double> values;  ///< [rows, columns], row-major; of NaN there is a dash
  /// The number of the strongest colour, above 0. Numbers below 0 have another colour, which is as strong at -most.
  double most = 1;
  std::string unit{};  ///< of the numbers, for the scale
  int decimals = 2;
};

/// A <figure>.
std::string labelled_map(const LabelledMap& map);

/// What colours mean: from 0, or -most, to `most`.
std::string color_scale(double most, const std::string& unit, bool has_negative = false);

}  // namespace kette

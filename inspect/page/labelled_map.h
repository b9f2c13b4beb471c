// A heat map with the names of its rows and columns, and its numbers where they fit: as SVG, which needs no script and
// prints well. For maps that are read one by one; many side by side are pictures (inspect/page/heat_map.h).
#pragma once

#include <span>
#include <string>
#include <vector>

namespace kette {

struct LabelledMap {
  std::string title;
  std::vector<std::string> rows, columns;
  std::span<const double> values;  ///< [rows, columns], row-major; below 0 and NaN count as 0
  double most = 1;                 ///< the number that is darkest; more than 0
};

/// A <figure>.
std::string labelled_map(const LabelledMap& map);

}  // namespace kette

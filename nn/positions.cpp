#include "nn/positions.h"

#include <cmath>
#include <numeric>

namespace kette {

std::vector<std::int64_t> concatenated_order(std::int64_t width) {
  std::vector<std::int64_t> order;
  for (std::int64_t column = 0; column < width; column += 2) order.push_back(column);
  for (std::int64_t column = 1; column < width; column += 2) order.push_back(column);
  return order;
}

Tensor sinusoidal_positions(std::int64_t positions, std::int64_t width, SinusoidLayout layout) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(width));
  std::iota(order.begin(), order.end(), 0);
  if (layout == SinusoidLayout::concatenated) order = concatenated_order(width);
  std::vector<float> table;
  table.reserve(static_cast<std::size_t>(positions * width));
  for (std::int64_t position = 0; position < positions; ++position) {
    for (const std::int64_t column : order) {
      const double exponent = static_cast<double>(column / 2 * 2) / static_cast<double>(width);
      const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
      table.push_back(static_cast<float>(column % 2 == 0 ? std::sin(angle) : std::cos(angle)));
    }
  }
  return Tensor::from(table, {positions, width});
}

Tensor row_positions(const Segments& segments, std::int64_t first) {
  std::vector<std::int32_t> positions;
  positions.reserve(static_cast<std::size_t>(segments.rows()));
  for (std::int64_t i = 0; i < segments.count(); ++i) {
    for (std::int64_t t = 0; t < segments.length(i); ++t) {
      positions.push_back(static_cast<std::int32_t>(first + t));
    }
  }
  return Tensor::from(positions);
}

}  // namespace kette

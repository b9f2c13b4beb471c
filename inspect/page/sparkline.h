// Drawings with the height of a line of text.
#pragma once

#include <string>
#include <vector>

namespace kette {

/// A curve through equidistant points, from low (bottom) to high (top). NaN leaves a gap.
std::string sparkline(const std::vector<double>& values, double low, double high);
/// Bars; the largest fills the height.
std::string spark_bars(const std::vector<double>& values);

}  // namespace kette

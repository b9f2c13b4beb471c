// Drawings as high as a line of text.
#pragma once

#include <string>
#include <vector>

namespace kette {

/// Points at equal distances, joined; low is at the bottom, high at the top. NaN leaves a gap.
std::string sparkline(const std::vector<double>& values, double low, double high);
/// Bars from the bottom; the largest fills the height.
std::string spark_bars(const std::vector<double>& values);

}  // namespace kette

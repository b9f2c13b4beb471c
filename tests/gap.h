// How far results are from what they should be.
#pragma once

#include <cmath>

namespace kette {

/// The larger of two gaps. A NaN is larger than any, and stays.
inline double larger_gap(double a, double b) { return std::isnan(a) || a >= b ? a : b; }

}  // namespace kette

// The distance of a result from its expected value. A NaN counts as larger than any number, so that
// a search for the largest gap does not lose it.
#pragma once

#include <cmath>

namespace kette {

inline bool is_larger_gap(double gap, double other) { return !(gap <= other || std::isnan(other)); }

inline double larger_gap(double a, double b) { return is_larger_gap(b, a) ? b : a; }

}  // namespace kette

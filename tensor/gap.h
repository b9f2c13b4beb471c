// How far a result is from what it should be. A NaN is a larger gap than any number: where a largest
// one is looked for, it must not be lost.
#pragma once

#include <cmath>

namespace kette {

inline bool is_larger_gap(double gap, double other) { return !(gap <= other || std::isnan(other)); }

inline double larger_gap(double a, double b) { return is_larger_gap(b, a) ? b : a; }

}  // namespace kette

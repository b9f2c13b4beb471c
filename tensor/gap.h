// The distance of a result from its expected value. A NaN counts as larger than any number, so that
// a search for the largest gap does not lose it.
#pragma once

#include "tensor/scalar.h"

namespace kette {

inline double larger_gap(double a, double b) { return scalar::is_larger(b, a) ? b : a; }

}  // namespace kette

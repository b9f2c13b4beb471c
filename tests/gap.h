// How far two lists of numbers, or two tensors, are from each other.
#pragma once

#include <doctest/doctest.h>

#include "tensor/gap.h"
#include "tensor/tensor.h"

namespace kette {

/// The largest difference of an element.
template <class A, class B>
double largest_gap(const std::vector<A>& a, const std::vector<B>& b) {
  REQUIRE(a.size() == b.size());
  double gap = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    gap = larger_gap(gap, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return gap;
}

inline double largest_gap(const Tensor& a, const Tensor& b) {
  return largest_gap(a.values<double>(), b.values<double>());
}

}  // namespace kette

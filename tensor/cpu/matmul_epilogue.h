// What follows a product while its block is still in cache: y = activation(c + bias), with c + bias
// kept aside for the backward pass when asked for.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/elementwise.h"

namespace kette::cpu {

/// Calls function(functor) with the functor of an activation that is not `none`.
template <class Function>
void visit_activation(Activation activation, Function&& function) {
  switch (activation) {
    case Activation::relu:
      return function(Relu{});
    case Activation::gelu:
      return function(Gelu{});
    case Activation::silu:
      return function(Silu{});
    case Activation::none:
      break;
  }
}

template <class T>
struct Epilogue {
  const T* bias = nullptr;  // of the first column of the block
  Activation activation = Activation::none;
  T* pre_activation = nullptr;  // of the first element of the block

  bool empty() const {
    return bias == nullptr && activation == Activation::none && !pre_activation;
  }

  /// One row: `values` and `out` may be the same memory. Arithmetic in C, storage in T.
  template <class C>
  void finish_row(const C* values, T* out, std::int64_t columns, std::int64_t offset) const {
    const T* added = bias;
    T* before = pre_activation ? pre_activation + offset : out;
    if (added) {
#pragma omp simd
      for (std::int64_t j = 0; j < columns; ++j) before[j] = T(values[j] + C(added[j]));
    } else if (static_cast<const void*>(before) != values) {
#pragma omp simd
      for (std::int64_t j = 0; j < columns; ++j) before[j] = T(values[j]);
    }
    if (activation == Activation::none) {
      if (before != out) std::copy_n(before, columns, out);
      return;
    }
    visit_activation(activation, [&](auto function) {
#pragma omp simd
      for (std::int64_t j = 0; j < columns; ++j) out[j] = T(function.forward(C(before[j])));
    });
  }
};

}  // namespace kette::cpu

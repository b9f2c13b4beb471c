// The epilogue of a product, while its block is still in cache: y = activation(c + bias), with
// c + bias saved for the backward pass if asked for; or y = c * activation'(the saved value).
#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/elementwise.h"

namespace kette::cpu {

/// out, pre_activation: [rows, columns] with leading dimension ld; arithmetic in Compute<T>.
template <class T>
struct Epilogue {
  using C = Compute<T>;
  T* out = nullptr;
  std::int64_t ld = 0;
  const T* bias = nullptr;
  Activation activation = Activation::none;
  T* pre_activation = nullptr;
  const T* kept = nullptr;

  bool empty() const {
    return bias == nullptr && activation == Activation::none && !pre_activation;
  }

  /// `columns` elements of `row`, from `column` on. `values` may be the output itself.
  void apply(std::int64_t row, std::int64_t column, std::int64_t columns, const C* values) const {
    const std::int64_t at = row * ld + column;
    T* y = out + at;
    if (kept) return differentiate(kept + at, columns, values, y);
    T* before = pre_activation ? pre_activation + at : y;
    if (bias) {
      const T* added = bias + column;
#pragma omp simd
      for (std::int64_t j = 0; j < columns; ++j) before[j] = values[j] + C(added[j]);
    } else if (static_cast<const void*>(before) != values) {
#pragma omp simd
      for (std::int64_t j = 0; j < columns; ++j) before[j] = values[j];
    }
    if (activation == Activation::none && before != y) std::copy_n(before, columns, y);
    visit_activation(activation, [&](auto function) {
#pragma omp simd
      for (std::int64_t j = 0; j < columns; ++j) y[j] = function.forward(C(before[j]));
    });
  }

 private:
  void differentiate(const T* before, std::int64_t columns, const C* values, T* y) const {
    visit_activation(activation, [&](auto function) {
#pragma omp simd
      for (std::int64_t j = 0; j < columns; ++j) {
        y[j] = function.backward(C(before[j]), C(before[j]), values[j]);
      }
    });
  }
};

}  // namespace kette::cpu

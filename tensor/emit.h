// Takes the address of every instantiation of the kernel templates in kernels.h for one device, so
// that the compiler emits them. A device's source file that defines such templates ends with
//   [[gnu::used]] auto unary_kernels = emit_unary<CpuExec>(UnaryFunctions{});
#pragma once

#include <tuple>

#include "tensor/kernels.h"

namespace kette::kernels {

using In = const Tensor&;

template <class Exec, class... F>
auto emit_unary(std::tuple<F...>) {
  return std::tuple{static_cast<void (*)(Exec, F, In, In)>(&unary<F>)...,
                    static_cast<void (*)(Exec, F, In, In, In, In)>(&unary_backward<F>)...};
}

template <class Exec, class... F>
auto emit_binary(std::tuple<F...>) {
  return std::tuple{static_cast<void (*)(Exec, F, In, In, In)>(&binary<F>)...,
                    static_cast<void (*)(Exec, F, In, In, In, In, In, In)>(&binary_backward<F>)...};
}

template <class Exec, class... Body>
auto emit_rows(std::tuple<Body...>*) {
  return std::tuple{static_cast<void (*)(Exec, const Body&, std::int64_t)>(&for_rows<Body>)...};
}

template <class Exec, class... Body>
auto emit_sums(std::tuple<Body...>*) {
  return std::tuple{static_cast<void (*)(Exec, const Body&, std::int64_t, const Tensor* const*)>(
      &for_rows_with_sums<Body>)...};
}

/// All row bodies, with and without sums, for elements of type T.
template <class Exec, class T>
auto emit_all_rows() {
  return std::tuple_cat(emit_rows<Exec>(static_cast<rows::RowBodies<T>*>(nullptr)),
                        emit_sums<Exec>(static_cast<rows::RowBodiesWithSums<T>*>(nullptr)));
}

}  // namespace kette::kernels

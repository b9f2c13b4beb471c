// Ops that move values without changing them: reshape, slice, concatenate, transpose. Reshape and
// slice share storage.
#pragma once

#include "autograd/op_types.h"

namespace kette::ops {

struct Reshape {
  static constexpr OpName name = "reshape";
  static constexpr bool kIsLinear = true;
  static constexpr const char* formula =
      "the same elements, in row-major order, under another shape";
  static constexpr const char* signature = "reshape(x, shape)";
  static constexpr const char* about = "Views x under another shape with as many elements.";
  Shape target;

  Tensor forward(const Tensor& x) { return x.reshaped(target); }
  void backward(const Tensor& dy, GradientSlot& dx) { dx.add(dy.reshaped(dx.shape())); }
  static std::vector<Sample> samples();
};

struct Slice {
  static constexpr OpName name = "slice";
  static constexpr bool kIsLinear = true;
  static constexpr const char* formula = "x[begin : end] of the outermost axis";
  static constexpr const char* signature = "slice(x, begin, end)";
  static constexpr const char* about =
      "Rows begin to end - 1 of the outermost axis: [rows, ...] -> [end - begin, ...].";
  std::int64_t begin, end;

  Tensor forward(const Tensor& x) { return x.slice(begin, end); }
  void backward(const Tensor& dy, GradientSlot& dx);
  static std::vector<Sample> samples();
};

/// Joins two tensors along the outermost axis, a first.
struct Concatenate {
  static constexpr OpName name = "concatenate";
  static constexpr bool kIsLinear = true;
  static constexpr const char* formula = "[a; b] along the outermost axis";
  static constexpr const char* signature = "concatenate(*tensors)";
  static constexpr const char* about =
      "Joins tensors along the outermost axis; the other axes are equal: [m, ...], [n, ...] -> "
      "[m + n, ...].";
  std::int64_t first = 0;

  Tensor forward(const Tensor& a, const Tensor& b);
  void backward(const Tensor& dy, GradientSlot& da, GradientSlot& db);
  static std::vector<Sample> samples();
};

struct Transpose {
  static constexpr OpName name = "transpose";
  static constexpr bool kIsLinear = true;
  static constexpr const char* formula = "y_..ji = x_..ij";
  static constexpr const char* signature = "transpose(x)";
  static constexpr const char* about = "Exchanges the last two axes: [..., m, n] -> [..., n, m].";

  static Tensor transposed(const Tensor& x);
  Tensor forward(const Tensor& x) { return transposed(x); }
  void backward(const Tensor& dy, GradientSlot& dx) { dx.add(transposed(dy)); }
  static std::vector<Sample> samples();
};

}  // namespace kette::ops

namespace kette {

Variable reshape(const Variable& x, Shape target);
Variable slice(const Variable& x, std::int64_t begin, std::int64_t end);
Variable concatenate(const Variable& a, const Variable& b);
Variable transpose(const Variable& x);
/// x: [rows, width] -> its columns [begin, end).
inline Variable columns(const Variable& x, std::int64_t begin, std::int64_t end) {
  return transpose(slice(transpose(x), begin, end));
}

}  // namespace kette

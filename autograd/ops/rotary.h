// Rotary positions of queries and keys (Su et al. 2021, "RoFormer", section 3.2.2); the maths and
// the layout of the pairs are in tensor/rows/rotary.h. x: a projection; the heads in its first
// `turned` columns are rotated by their row's position, the others are unchanged. For [Q K V]
// [rows, 3 * width], turned = 2 * width. positions: i32 [rows].
#pragma once

#include "autograd/op_types.h"

namespace kette {

/// Cosines and sines of every angle position * base^(-2i/h), computed in f64: [positions, cos of
/// h/2 pairs, sin of h/2 pairs]. Made once for a model that computes in `dtype`. For bf16 the table
/// is f32, since a sine of 8 bits would shift far positions.
Tensor rotary_table(std::int64_t positions, std::int64_t head_width, double base = 10000,
                    DType dtype = DType::f32, Device device = {});

}  // namespace kette

namespace kette::ops {

struct Rotary {
  static constexpr OpName name = "rotary";
  static constexpr bool kIsLinear = true;
  static constexpr const char* formula = "[R x1, x2] with R the rotation by the row's position";
  static constexpr const char* signature =
      "rotary(x, table, positions=None, lengths=None, turned=None)";
  static constexpr const char* about =
      "Rotary positions: turns the heads in the first `turned` columns (None: all) of each row "
      "by its position. x: [rows, width], table: of rotary_table(), positions: i32 [rows]. Su "
      "et al. 2021.";
  Tensor positions, table;
  std::int64_t turned;

  Tensor forward(const Tensor& x);
  void backward(const Tensor& dy, GradientSlot& dx);
  static std::vector<Sample> samples();

 private:
  void turn(const Tensor& x, const Tensor& y, double direction) const;
};

}  // namespace kette::ops

namespace kette {

Variable rotary(const Variable& x, const Tensor& positions, const Tensor& table,
                std::int64_t turned);

}  // namespace kette

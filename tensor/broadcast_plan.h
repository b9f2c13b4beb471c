// How the operands of a binary function are indexed over its broadcast result, for both devices.
// The result is rows of `inner` elements, in which each operand either advances with the result or
// stands still. An odometer runs over the outer axes. Neighbouring axes that behave alike are
// joined.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace kette {

struct BroadcastPlan {
  struct Starts {
    std::int64_t a, b;
  };

  int outer_rank = 0;
  std::int64_t outer[Shape::kMaxRank] = {};  ///< the joined axes but the innermost
  std::int64_t inner = 1;
  std::int64_t a_strides[Shape::kMaxRank] = {}, b_strides[Shape::kMaxRank] = {};  ///< of `outer`
  std::int64_t a_step = 0, b_step = 0;  ///< 0 or 1 in the inner row

  BroadcastPlan(const Shape& a, const Shape& b, const Shape& y) {
    struct Axis {
      std::int64_t extent;
      bool a_moves, b_moves;
    };
    std::vector<Axis> axes;  // outermost first
    for (int axis = -y.rank(); axis < 0; ++axis) {
      const bool a_moves = -axis <= a.rank() && a[axis] != 1;
      const bool b_moves = -axis <= b.rank() && b[axis] != 1;
      if (y[axis] == 1) continue;
      if (!axes.empty() && axes.back().a_moves == a_moves && axes.back().b_moves == b_moves) {
        axes.back().extent *= y[axis];
      } else {
        axes.push_back({y[axis], a_moves, b_moves});
      }
    }
    if (axes.empty()) return;
    inner = axes.back().extent;
    a_step = axes.back().a_moves;
    b_step = axes.back().b_moves;
    std::int64_t a_size = a_step ? inner : 1, b_size = b_step ? inner : 1;
    outer_rank = static_cast<int>(axes.size()) - 1;
    for (int i = outer_rank - 1; i >= 0; --i) {
      const Axis& axis = axes[i];
      outer[i] = axis.extent;
      a_strides[i] = axis.a_moves ? a_size : 0;
      b_strides[i] = axis.b_moves ? b_size : 0;
      if (axis.a_moves) a_size *= axis.extent;
      if (axis.b_moves) b_size *= axis.extent;
    }
  }

  std::int64_t rows() const {
    std::int64_t total = 1;
    for (int axis = 0; axis < outer_rank; ++axis) total *= outer[axis];
    return total;
  }

  /// The operands' offsets for row `index` of the result, which starts at index * inner.
  KETTE_HOST_DEVICE Starts starts(std::int64_t index) const {
    Starts at{0, 0};
    for (int axis = outer_rank - 1; axis >= 0; --axis) {
      const std::int64_t coordinate = index % outer[axis];
      index /= outer[axis];
      at.a += coordinate * a_strides[axis];
      at.b += coordinate * b_strides[axis];
    }
    return at;
  }
};

}  // namespace kette

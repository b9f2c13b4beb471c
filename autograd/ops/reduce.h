// Sums and maxima. sum: over everything, or down to a shape with extents of 1. Deep Learning,
// equation (6.46) read backwards: the gradient of a sum is the upstream gradient, broadcast.
#pragma once

#include "autograd/ops/elementwise.h"

namespace kette::ops {

/// y = x summed over the axes in which `target` has extent 1 or lacks.
struct Sum {
  static constexpr OpName name = "sum";
  static constexpr const char* formula = "sum of x over the axes that the target shape lacks";
  static constexpr bool kIsLinear = true;
  Shape target;
  Shape input_shape{};

  Tensor forward(const Tensor& x) {
    input_shape = x.shape();
    const Tensor y = Tensor::empty(target, x.dtype(), x.device());
    on(x.device(), [&](auto exec) { kernels::sum_to(exec, x, y); });
    return y;
  }
  void backward(const Tensor& dy, GradientSlot& dx) {
    const Tensor gradient = Tensor::zeros(input_shape, dy.dtype(), dy.device());
    on(dy.device(), [&](auto exec) { kernels::binary(exec, Add{}, gradient, dy, gradient); });
    dx.add(gradient);
  }
  static std::vector<Sample> samples();
};

/// The largest entry of each row: [rows..., width] -> [rows..., 1]. The gradient goes to the first
/// of equals.
struct Max {
  static constexpr OpName name = "max";
  static constexpr const char* formula = "max_j x_ij over the last axis";
  Shape input_shape{};
  Tensor columns{};

  Tensor forward(const Tensor& x) {
    KETTE_CHECK(x.width() > 0, "max: expected rows of at least one element, given ", x.shape());
    input_shape = x.shape();
    const Tensor y = Tensor::empty(x.shape().with(-1, 1), x.dtype(), x.device());
    columns = Tensor::empty(Shape{x.rows()}, DType::i32, x.device());
    on(x.device(), [&](auto exec) { kernels::max_last(exec, x, y, columns); });
    return y;
  }
  void backward(const Tensor& dy, GradientSlot& dx) {
    const Tensor gradient = Tensor::empty(input_shape, dy.dtype(), dy.device());
    put_in_columns(dy, gradient);
    dx.add(gradient);
  }
  Variable tangent(const std::array<Variable, 1>& x, const std::array<Variable, 1>& dx,
                   const Variable& y) const;
  static std::vector<Sample> samples();

 private:
  void put_in_columns(const Tensor& values, const Tensor& rows) const {
    visit_float(values.dtype(), name, [&]<class T>(T) {
      const rows::PutInColumn<T> body{values.data<T>(), columns.data<std::int32_t>(),
                                      rows.data<T>(), rows.width()};
      on(values.device(), [&](auto exec) { kernels::for_rows(exec, body, columns.elements()); });
    });
  }
};

}  // namespace kette::ops

namespace kette {

inline Variable sum_to(const Variable& x, Shape target) { return record(ops::Sum{target}, x); }
inline Variable sum(const Variable& x) { return sum_to(x, Shape{}); }
inline Variable mean(const Variable& x) {
  return affine(sum(x), 1.0 / static_cast<double>(x.value().elements()));
}
/// [rows..., width] -> [rows..., 1]
inline Variable mean_last(const Variable& x) {
  return affine(sum_to(x, x.shape().with(-1, 1)), 1.0 / static_cast<double>(x.value().width()));
}
inline Variable max_last(const Variable& x) { return record(ops::Max{}, x); }

}  // namespace kette

namespace kette::ops {

inline Variable Max::tangent(const std::array<Variable, 1>& x, const std::array<Variable, 1>& dx,
                             const Variable& y) const {
  Max largest;
  largest.forward(x[0].value());
  const Tensor ones = Tensor::full(y.shape(), 1.0, y.value().dtype(), y.value().device()),
               is_largest = Tensor::empty(x[0].shape(), ones.dtype(), ones.device());
  largest.put_in_columns(ones, is_largest);
  return sum_to(Variable(is_largest) * dx[0], y.shape());
}

inline std::vector<Sample> Sum::samples() {
  const auto sample = [](Shape from, Shape to) {
    return Sample{from.str() + " to " + to.str(),
                  {{from}},
                  [to](const std::vector<Variable>& in) { return sum_to(in[0], to); },
                  [from, to](const std::vector<Values>& in) {
                    Values y(static_cast<std::size_t>(to.elements()));
                    for (std::size_t i = 0; i < in[0].size(); ++i) {
                      std::int64_t index = static_cast<std::int64_t>(i), at = 0, stride = 1;
                      for (int axis = -1; - axis <= from.rank(); --axis) {
                        const std::int64_t coordinate = index % from[axis];
                        index /= from[axis];
                        if (-axis > to.rank()) continue;
                        if (to[axis] != 1) at += coordinate * stride;
                        stride *= to[axis];
                      }
                      y[at] += in[0][i];
                    }
                    return y;
                  }};
  };
  return {sample({4, 5}, {}),
          sample({4, 5}, {5}),
          sample({4, 5}, {4, 1}),
          sample({2, 3, 4}, {3, 1}),
          sample({2, 3, 4}, {2, 1, 4}),
          sample({130, 3}, {3}),
          sample({2, 3, 2, 3}, {3, 1, 3})};
}

inline std::vector<Sample> Max::samples() {
  return {Sample{"[4, 6]",
                 {{Shape{4, 6}}},
                 [](const std::vector<Variable>& in) { return max_last(in[0]); },
                 [](const std::vector<Values>& in) {
                   Values y;
                   for (auto row = in[0].begin(); row != in[0].end(); row += 6) {
                     y.push_back(*std::max_element(row, row + 6));
                   }
                   return y;
                 }}};
}

}  // namespace kette::ops

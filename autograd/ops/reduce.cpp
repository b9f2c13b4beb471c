#include "autograd/ops/reduce.h"

#include <algorithm>

#include "autograd/op.h"

namespace kette::ops {

Tensor Sum::forward(const Tensor& x) {
  input_shape = x.shape();
  const Tensor y = Tensor::empty(target, x.dtype(), x.device());
  on(x.device(), [&](auto exec) { kernels::sum_to(exec, x, y); });
  return y;
}

void Sum::backward(const Tensor& dy, GradientSlot& dx) {
  const Tensor gradient = Tensor::zeros(input_shape, dy.dtype(), dy.device());
  on(dy.device(), [&](auto exec) { kernels::binary(exec, Add{}, gradient, dy, gradient); });
  dx.add(gradient);
}

Tensor Max::forward(const Tensor& x) {
  KETTE_CHECK(x.width() > 0, "max: expected rows of at least one element, given ", x.shape());
  input_shape = x.shape();
  const Tensor y = Tensor::empty(x.shape().with(-1, 1), x.dtype(), x.device());
  columns = Tensor::empty(Shape{x.rows()}, DType::i32, x.device());
  on(x.device(), [&](auto exec) { kernels::max_last(exec, x, y, columns); });
  return y;
}

void Max::backward(const Tensor& dy, GradientSlot& dx) {
  const Tensor gradient = Tensor::empty(input_shape, dy.dtype(), dy.device());
  put_in_columns(dy, gradient);
  dx.add(gradient);
}

void Max::put_in_columns(const Tensor& values, const Tensor& rows) const {
  visit_float(values.dtype(), name, [&]<class T>(T) {
    const rows::PutInColumn<T> body{values.data<T>(), columns.data<std::int32_t>(), rows.data<T>(),
                                    rows.width()};
    on(values.device(), [&](auto exec) { kernels::for_rows(exec, body, columns.elements()); });
  });
}

Variable Max::tangent(const std::array<Variable, 1>& x, const std::array<Variable, 1>& dx,
                      const Variable& y) const {
  Max largest;
  largest.forward(x[0].value());
  const Tensor ones = Tensor::full(y.shape(), 1.0, y.value().dtype(), y.value().device()),
               is_largest = Tensor::empty(x[0].shape(), ones.dtype(), ones.device());
  largest.put_in_columns(ones, is_largest);
  return sum_to(Variable(is_largest) * dx[0], y.shape());
}

std::vector<Sample> Sum::samples() {
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

std::vector<Sample> Max::samples() {
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

namespace kette {

Variable sum_to(const Variable& x, Shape target) { return record(ops::Sum{target}, x); }
Variable mean_of_sum(const Variable& sum, std::int64_t count) {
  const Tensor& value = sum.value();
  const auto divisor = static_cast<double>(count);
  if (value.dtype() == DType::bf16) return affine(sum, 1 / divisor);
  return sum / Variable(Tensor::full(Shape{}, divisor, value.dtype(), value.device()));
}
Variable max_last(const Variable& x) { return record(ops::Max{}, x); }

}  // namespace kette

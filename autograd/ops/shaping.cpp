#include "autograd/ops/shaping.h"

#include "autograd/op.h"

namespace kette::ops {

void Slice::backward(const Tensor& dy, GradientSlot& dx) {
  if (!dx.wanted()) return;
  const GradientSlot::Buffer gradient = dx.buffer();
  if (!gradient.adds) gradient.tensor.zero();
  const Tensor part = gradient.tensor.slice(begin, end);
  on(dy.device(), [&](auto exec) { kernels::accumulate(exec, dy, part); });
}

Tensor Concatenate::forward(const Tensor& a, const Tensor& b) {
  KETTE_CHECK(
      a.shape().rank() > 0 && b.shape().rank() > 0 && a.shape().with(0, 0) == b.shape().with(0, 0),
      "concatenate: expected shapes that differ in the outermost axis only, given ", a.shape(),
      " and ", b.shape());
  first = a.shape()[0];
  const Tensor y = Tensor::empty(a.shape().with(0, first + b.shape()[0]), a.dtype(), a.device());
  y.slice(0, first).copy_from(a);
  y.slice(first, y.shape()[0]).copy_from(b);
  return y;
}

void Concatenate::backward(const Tensor& dy, GradientSlot& da, GradientSlot& db) {
  da.add(dy.slice(0, first));
  db.add(dy.slice(first, dy.shape()[0]));
}

Tensor Transpose::transposed(const Tensor& x) {
  KETTE_CHECK(x.shape().rank() >= 2, "transpose: expected at least two axes, given ", x.shape());
  const std::int64_t rows = x.shape()[-2], columns = x.shape()[-1];
  const Tensor y = Tensor::empty(x.shape().with(-2, columns).with(-1, rows), x.dtype(), x.device());
  const std::int64_t matrix = rows * columns;
  if (matrix == 0) return y;
  on(x.device(),
     [&](auto exec) { kernels::transpose(exec, x, y, x.elements() / matrix, rows, columns); });
  return y;
}

std::vector<Sample> Reshape::samples() {
  return {Sample{"[3, 4] to [2, 6]",
                 {{Shape{3, 4}}},
                 [](const std::vector<Variable>& in) {
                   return reshape(in[0], {2, 6});
                 },
                 [](const std::vector<Values>& in) { return in[0]; }}};
}
std::vector<Sample> Slice::samples() {
  return {Sample{
      "[5, 3][1:4]",
      {{Shape{5, 3}}},
      [](const std::vector<Variable>& in) { return slice(in[0], 1, 4); },
      [](const std::vector<Values>& in) { return Values(in[0].begin() + 3, in[0].begin() + 12); }}};
}
std::vector<Sample> Concatenate::samples() {
  return {Sample{"[2, 3] above [4, 3]",
                 {{Shape{2, 3}}, {Shape{4, 3}}},
                 [](const std::vector<Variable>& in) { return concatenate(in[0], in[1]); },
                 [](const std::vector<Values>& in) {
                   Values y = in[0];
                   y.insert(y.end(), in[1].begin(), in[1].end());
                   return y;
                 }}};
}
std::vector<Sample> Transpose::samples() {
  return {Sample{"[2, 3, 20]",
                 {{Shape{2, 3, 20}}},
                 [](const std::vector<Variable>& in) { return transpose(in[0]); },
                 [](const std::vector<Values>& in) {
                   Values y(120);
                   for (std::size_t b = 0; b < 2; ++b) {
                     for (std::size_t i = 0; i < 3; ++i) {
                       for (std::size_t j = 0; j < 20; ++j) {
                         y[b * 60 + j * 3 + i] = in[0][b * 60 + i * 20 + j];
                       }
                     }
                   }
                   return y;
                 }}};
}

}  // namespace kette::ops

namespace kette {

Variable reshape(const Variable& x, Shape target) { return record(ops::Reshape{target}, x); }
Variable slice(const Variable& x, std::int64_t begin, std::int64_t end) {
  return record(ops::Slice{begin, end}, x);
}
Variable concatenate(const Variable& a, const Variable& b) {
  return record(ops::Concatenate{}, a, b);
}
Variable transpose(const Variable& x) { return record(ops::Transpose{}, x); }

}  // namespace kette

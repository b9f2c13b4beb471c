#include "autograd/ops/matmul.h"

#include "autograd/op.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/products.h"
#include "autograd/ops/shaping.h"

namespace kette::ops {
namespace {

/// c (+)= op(a) op(b) over the last two axes; the outer axes of all three agree.
void multiply_batch(const Tensor& a, bool transpose_a, const Tensor& b, bool transpose_b,
                    const Tensor& c, bool adds) {
  MatmulArgs args;
  args.dtype = a.dtype();
  args.wide_result = c.dtype() != a.dtype();
  args.a = a.raw();
  args.b = b.raw();
  args.c = c.raw();
  args.m = c.shape()[-2];
  args.n = c.shape()[-1];
  args.k = transpose_a ? a.shape()[-2] : a.shape()[-1];
  args.lda = a.shape()[-1];
  args.ldb = b.shape()[-1];
  args.ldc = args.n;
  args.transpose_a = transpose_a;
  args.transpose_b = transpose_b;
  args.beta = adds ? 1 : 0;
  args.batch_stride_a = a.shape()[-2] * a.shape()[-1];
  args.batch_stride_b = b.shape()[-2] * b.shape()[-1];
  args.batch_stride_c = args.m * args.n;
  args.batch = args.batch_stride_c == 0 ? 0 : c.elements() / args.batch_stride_c;
  on(c.device(), [&](auto exec) { kernels::matmul(exec, args); });
}

}  // namespace

Tensor MatMul::forward(const Tensor& left, const Tensor& right) {
  const auto rank = left.shape().rank();
  const auto inner = [](const Tensor& t, bool transposed, bool is_left) {
    return t.shape()[is_left != transposed ? -1 : -2];
  };
  bool fits = rank >= 2 && right.shape().rank() == rank && left.dtype() == right.dtype();
  for (int axis = 0; fits && axis < rank - 2; ++axis)
    fits = left.shape()[axis] == right.shape()[axis];
  KETTE_CHECK(fits && inner(left, transpose_a, true) == inner(right, transpose_b, false),
              "matmul: expected [batch..., m, k] and [batch..., k, n], given ", left.str(),
              transpose_a ? " (transposed)" : "", " and ", right.str(),
              transpose_b ? " (transposed)" : "");
  a = left;
  b = right;
  const Tensor c = Tensor::empty(a.shape()
                                     .with(-2, a.shape()[transpose_a ? -1 : -2])
                                     .with(-1, b.shape()[transpose_b ? -2 : -1]),
                                 a.dtype(), a.device());
  multiply_batch(a, transpose_a, b, transpose_b, c, false);
  return c;
}

void MatMul::backward(const Tensor& dy, GradientSlot& da, GradientSlot& db) {
  if (da.wanted()) {  // C = A B: dA = dC B^T; of a transposed A: dA = B dC^T
    const GradientSlot::Buffer gradient = da.buffer();
    transpose_a ? multiply_batch(b, transpose_b, dy, true, gradient.tensor, gradient.adds)
                : multiply_batch(dy, false, b, !transpose_b, gradient.tensor, gradient.adds);
  }
  if (db.wanted()) {
    const GradientSlot::Buffer gradient = db.buffer();
    transpose_b ? multiply_batch(dy, true, a, transpose_a, gradient.tensor, gradient.adds)
                : multiply_batch(a, !transpose_a, dy, false, gradient.tensor, gradient.adds);
  }
}

Tensor Linear::forward(const Tensor& input, const Tensor& matrix, const Tensor& biases) {
  KETTE_CHECK(input.shape().rank() >= 1 && matrix.shape().rank() == 2 &&
                  input.width() == matrix.width() && input.dtype() == matrix.dtype(),
              "linear: expected x [rows, ", matrix.defined() ? matrix.width() : 0,
              "] for the weight [out, in] ", matrix.str(), ", given ", input.str());
  const std::int64_t out = matrix.shape()[0];
  KETTE_CHECK(!biases.defined() || (biases.elements() == out && biases.dtype() == input.dtype()),
              "linear: expected a bias ", name_of(input.dtype()), " [", out, "], given ",
              biases.str());
  x = input;
  weight = matrix;
  bias = biases;
  const Tensor y = Tensor::empty(x.shape().with(-1, out), x.dtype(), x.device());
  if (activation == Activation::relu) saved = y;
  if (activation != Activation::none && activation != Activation::relu) {
    if (Tape::current()) saved = Tensor::empty(y.shape(), y.dtype(), y.device());
  }
  MatmulArgs args = MatmulArgs::of(y, x, Matrix(weight).transposed());
  args.bias = bias.defined() ? bias.raw() : nullptr;
  args.activation = activation;
  args.pre_activation = saved.defined() && activation != Activation::relu ? saved.raw() : nullptr;
  on(x.device(), [&](auto exec) { kernels::matmul(exec, args); });
  return y;
}

void Linear::backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dweight,
                      GradientSlot& dbias) {
  const Tensor upstream = activation == Activation::none ? dy : room_over(dy);
  if (activation != Activation::none) {
    on(dy.device(),
       [&](auto exec) { kernels::activation_backward(exec, activation, saved, dy, upstream); });
    saved = Tensor();
  }
  if (dx.wanted()) {
    const GradientSlot::Buffer gradient = dx.buffer();
    multiply(gradient.tensor, upstream, weight, gradient.adds);
  }
  add_parameter_gradients(upstream, x, bias, dweight, dbias);
}

Variable MatMul::tangent(const std::array<Variable, 2>& in, const std::array<Variable, 2>& din,
                         const Variable& /*y*/) const {
  const auto product = [&](const Variable& left, const Variable& right) {
    return matmul(left, right, transpose_a, transpose_b);
  };
  return product(din[0], in[1]) + product(in[0], din[1]);
}

Variable Linear::composed(const std::array<Variable, 3>& in) const {
  const auto& [rows, matrix, biases] = in;
  const std::int64_t width = rows.value().width();
  const Variable flat = reshape(rows, {rows.value().rows(), width});
  Variable y = matmul(flat, matrix, false, true);
  if (biases.value().defined()) y = y + reshape(biases, {biases.value().elements()});
  y = reshape(y, rows.shape().with(-1, matrix.shape()[0]));
  visit_activation(activation, [&](const auto& function) { y = elementwise(function, y); });
  return y;
}

std::vector<Sample> MatMul::samples() {
  const auto sample = [](std::int64_t batch, std::int64_t m, std::int64_t k, std::int64_t n,
                         bool transpose_a, bool transpose_b) {
    Shape a = transpose_a ? Shape{batch, k, m} : Shape{batch, m, k};
    Shape b = transpose_b ? Shape{batch, n, k} : Shape{batch, k, n};
    if (batch == 1) {
      a = {a[1], a[2]};
      b = {b[1], b[2]};
    }
    return Sample{a.str() + (transpose_a ? "^T" : "") + " x " + b.str() + (transpose_b ? "^T" : ""),
                  {{a}, {b}},
                  [=](const std::vector<Variable>& in) {
                    return matmul(in[0], in[1], transpose_a, transpose_b);
                  },
                  [=](const std::vector<Values>& in) {
                    Values c(static_cast<std::size_t>(batch * m * n));
                    for (std::int64_t s = 0; s < batch; ++s) {
                      for (std::int64_t i = 0; i < m; ++i) {
                        for (std::int64_t j = 0; j < n; ++j) {
                          double total = 0;
                          for (std::int64_t p = 0; p < k; ++p) {
                            total += in[0][s * m * k + (transpose_a ? p * m + i : i * k + p)] *
                                     in[1][s * k * n + (transpose_b ? j * k + p : p * n + j)];
                          }
                          c[(s * m + i) * n + j] = total;
                        }
                      }
                    }
                    return c;
                  }};
  };
  return {sample(1, 5, 3, 4, false, false),   sample(1, 5, 3, 4, true, false),
          sample(1, 5, 3, 4, false, true),    sample(1, 5, 3, 4, true, true),
          sample(3, 2, 7, 5, false, false),   sample(3, 2, 7, 5, false, true),
          sample(1, 33, 17, 35, false, false)};
}

std::vector<Sample> Linear::samples() {
  const auto sample = [](std::int64_t rows, std::int64_t in, std::int64_t out,
                         Activation activation, const char* label, bool biased = true) {
    std::vector<SampleInput> inputs{{{rows, in}}, {{out, in}}};
    if (biased) inputs.push_back({{out}});
    return Sample{Shape{rows, in}.str() + " x " + Shape{out, in}.str() + "^T, " + label, inputs,
                  [=](const std::vector<Variable>& v) {
                    return linear(v[0], v[1], biased ? v[2] : Variable(), activation);
                  },
                  [=](const std::vector<Values>& v) {
                    Values y(static_cast<std::size_t>(rows * out));
                    for (std::int64_t r = 0; r < rows; ++r) {
                      for (std::int64_t o = 0; o < out; ++o) {
                        double z = biased ? v[2][o] : 0;
                        for (std::int64_t i = 0; i < in; ++i) {
                          z += v[0][r * in + i] * v[1][o * in + i];
                        }
                        visit_activation(activation,
                                         [&](const auto& function) { z = function.reference(z); });
                        y[r * out + o] = z;
                      }
                    }
                    return y;
                  }};
  };
  return {sample(5, 3, 4, Activation::none, "no activation"),
          sample(5, 3, 4, Activation::relu, "relu"),
          sample(5, 3, 4, Activation::gelu, "gelu"),
          sample(5, 3, 4, Activation::gelu_erf, "gelu_erf"),
          sample(5, 3, 4, Activation::silu, "silu"),
          sample(67, 40, 33, Activation::relu, "relu"),
          sample(6, 7, 5, Activation::gelu, "gelu, no bias", false)};
}

}  // namespace kette::ops

namespace kette {

Variable matmul(const Variable& a, const Variable& b, bool transpose_a, bool transpose_b) {
  return record(ops::MatMul{transpose_a, transpose_b}, a, b);
}

Variable linear(const Variable& x, const Variable& weight, const Variable& bias,
                Activation activation) {
  return record(ops::Linear{activation}, x, weight, bias);
}

}  // namespace kette

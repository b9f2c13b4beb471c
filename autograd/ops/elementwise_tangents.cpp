#include "autograd/ops/elementwise_tangents.h"

#include "autograd/ops/elementwise.h"
#include "tensor/kernels.h"

namespace kette {
namespace {

Tensor ones_like(const Tensor& x) { return Tensor::full(x.shape(), 1.0, x.dtype(), x.device()); }

/// For f' that is piecewise constant.
template <class Function>
Tensor slope(const Function& f, const Tensor& x, const Tensor& y) {
  const Tensor result = Tensor::empty(x.shape(), x.dtype(), x.device());
  on(x.device(), [&](auto exec) { kernels::unary_backward(exec, f, x, y, ones_like(x), result); });
  return result;
}

/// For x g(x): (x g)' = g + x g'.
Variable tangent_of_product(const Variable& x, const Variable& dx, const Variable& g,
                            const Variable& dg) {
  return dx * g + x * dg;
}

}  // namespace

using V = Variable;

V tangent_of(const Affine& f, const V& /*x*/, const V& dx, const V& /*y*/) {
  return affine(dx, f.factor);
}
V tangent_of(const Exp& /*f*/, const V& /*x*/, const V& dx, const V& y) { return y * dx; }
V tangent_of(const Log& /*f*/, const V& x, const V& dx, const V& /*y*/) { return dx / x; }
V tangent_of(const Sqrt& /*f*/, const V& /*x*/, const V& dx, const V& y) {
  return affine(dx / y, 0.5);
}
V tangent_of(const Square& /*f*/, const V& x, const V& dx, const V& /*y*/) {
  return affine(x * dx, 2);
}
V tangent_of(const Tanh& /*f*/, const V& /*x*/, const V& dx, const V& y) {
  return affine(square(y), -1, 1) * dx;
}
V tangent_of(const Sigmoid& /*f*/, const V& /*x*/, const V& dx, const V& y) {
  return y * affine(y, -1, 1) * dx;
}
V tangent_of(const Relu& f, const V& x, const V& dx, const V& y) {
  return V(slope(f, x.value(), y.value())) * dx;
}
V tangent_of(const Gelu& /*f*/, const V& x, const V& dx, const V& /*y*/) {
  const V cubic = affine(square(x), Gelu::kCubic, 1),
          gate = sigmoid(affine(x * cubic, 2 * Gelu::kScale));
  const V du = affine(affine(square(x), 3 * Gelu::kCubic, 1) * dx, 2 * Gelu::kScale);
  return tangent_of_product(x, dx, gate, tangent_of(Sigmoid{}, {}, du, gate));
}
V tangent_of(const NormalCdf& /*f*/, const V& x, const V& dx, const V& /*y*/) {
  return affine(exp(affine(square(x), -0.5)) * dx, NormalCdf::kDensityAt0);
}
V tangent_of(const GeluErf& /*f*/, const V& x, const V& dx, const V& /*y*/) {
  return tangent_of_product(x, dx, normal_cdf(x), tangent_of(NormalCdf{}, x, dx, {}));
}
V tangent_of(const Silu& /*f*/, const V& x, const V& dx, const V& /*y*/) {
  const V gate = sigmoid(x);
  return tangent_of_product(x, dx, gate, tangent_of(Sigmoid{}, {}, dx, gate));
}

V tangent_of(const Add& /*f*/, const Two& /*x*/, const Two& dx, const V& /*y*/) {
  return dx[0] + dx[1];
}
V tangent_of(const Subtract& /*f*/, const Two& /*x*/, const Two& dx, const V& /*y*/) {
  return dx[0] - dx[1];
}
V tangent_of(const Multiply& /*f*/, const Two& x, const Two& dx, const V& /*y*/) {
  return dx[0] * x[1] + x[0] * dx[1];
}
V tangent_of(const Divide& /*f*/, const Two& x, const Two& dx, const V& y) {
  return (dx[0] - y * dx[1]) / x[1];
}
V tangent_of(const Maximum& f, const Two& x, const Two& dx, const V& y) {
  const Tensor left = ones_like(y.value()), right = ones_like(y.value());
  on(left.device(), [&](auto exec) {
    kernels::binary_backward(exec, f, x[0].value(), x[1].value(), y.value(), ones_like(y.value()),
                             left, right);
  });
  return V(left) * dx[0] + V(right) * dx[1];
}
V tangent_of(const Lerp& f, const Two& /*x*/, const Two& dx, const V& /*y*/) {
  return lerp(dx[0], dx[1], f.weight);
}

}  // namespace kette

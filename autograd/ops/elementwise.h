// The differentiable forms of the functors in tensor/elementwise.h. Binary ones broadcast.
#pragma once

#include "autograd/variable.h"
#include "tensor/elementwise.h"

namespace kette {

/// The functor, one of those listed in tensor/elementwise.h, as an op (elementwise_op.h).
template <class Function>
Variable elementwise(const Function& function, const Variable& x);
template <class Function>
Variable elementwise(const Function& function, const Variable& a, const Variable& b);

// clang-format off
inline Variable operator+(const Variable& a, const Variable& b) { return elementwise(Add{}, a, b); }
inline Variable operator-(const Variable& a, const Variable& b) { return elementwise(Subtract{}, a, b); }
inline Variable operator*(const Variable& a, const Variable& b) { return elementwise(Multiply{}, a, b); }
inline Variable operator/(const Variable& a, const Variable& b) { return elementwise(Divide{}, a, b); }
inline Variable maximum(const Variable& a, const Variable& b) { return elementwise(Maximum{}, a, b); }
inline Variable lerp(const Variable& a, const Variable& b, double weight) { return elementwise(Lerp{weight}, a, b); }
// clang-format on
inline Variable affine(const Variable& x, double factor, double offset = 0) {
  return elementwise(Affine{factor, offset}, x);
}
inline Variable exp(const Variable& x) { return elementwise(Exp{}, x); }
inline Variable log(const Variable& x) { return elementwise(Log{}, x); }
inline Variable sqrt(const Variable& x) { return elementwise(Sqrt{}, x); }
inline Variable square(const Variable& x) { return elementwise(Square{}, x); }
inline Variable tanh(const Variable& x) { return elementwise(Tanh{}, x); }
inline Variable sigmoid(const Variable& x) { return elementwise(Sigmoid{}, x); }
inline Variable relu(const Variable& x) { return elementwise(Relu{}, x); }
inline Variable gelu(const Variable& x) { return elementwise(Gelu{}, x); }
inline Variable normal_cdf(const Variable& x) { return elementwise(NormalCdf{}, x); }
inline Variable gelu_erf(const Variable& x) { return elementwise(GeluErf{}, x); }
inline Variable silu(const Variable& x) { return elementwise(Silu{}, x); }

}  // namespace kette

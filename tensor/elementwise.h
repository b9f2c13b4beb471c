// Every elementwise function, forward and derivative, written once for both devices. A functor may hold constants; it
// has a name, a one-line formula, the range its inputs are sampled from in checks, and a plain double-precision
// reference. To add one: write it here, list it in UnaryFunctions or BinaryFunctions, and declare its op in
// autograd/ops/elementwise.h. Kernels, gradient check, device parity, docs and bench use the two lists at the end.
#pragma once

#include <cmath>
#include <tuple>

#include "tensor/op_name.h"
#include "tensor/scalar.h"

namespace kette {

#define KETTE_SCALAR \
  template <class T> \
  KETTE_HOST_DEVICE

/// y = factor * x + offset
struct Affine {
  static constexpr OpName name = "affine";
  static constexpr const char* formula = "a * x + b";
  static constexpr double low = -2, high = 2;
  double factor = 0.5, offset = 0.25;
  KETTE_SCALAR T forward(T x) const { return static_cast<T>(factor) * x + static_cast<T>(offset); }
  KETTE_SCALAR T backward(T, T, T dy) const { return static_cast<T>(factor) * dy; }
  double reference(double x) const { return factor * x + offset; }
};

struct Exp {
  static constexpr OpName name = "exp";
  static constexpr const char* formula = "e^x";
  static constexpr double low = -2, high = 2;
  KETTE_SCALAR T forward(T x) const { return scalar::exp(x); }
  KETTE_SCALAR T backward(T, T y, T dy) const { return y * dy; }
  double reference(double x) const { return std::exp(x); }
};

struct Log {
  static constexpr OpName name = "log";
  static constexpr const char* formula = "ln x";
  static constexpr double low = 0.2, high = 3;
  KETTE_SCALAR T forward(T x) const { return scalar::log(x); }
  KETTE_SCALAR T backward(T x, T, T dy) const { return dy / x; }
  double reference(double x) const { return std::log(x); }
};

struct Sqrt {
  static constexpr OpName name = "sqrt";
  static constexpr const char* formula = "x^(1/2)";
  static constexpr double low = 0.2, high = 3;
  KETTE_SCALAR T forward(T x) const { return scalar::sqrt(x); }
  KETTE_SCALAR T backward(T, T y, T dy) const { return dy / (T(2) * y); }
  double reference(double x) const { return std::sqrt(x); }
};

struct Square {
  static constexpr OpName name = "square";
  static constexpr const char* formula = "x^2";
  static constexpr double low = -2, high = 2;
  KETTE_SCALAR T forward(T x) const { return x * x; }
  KETTE_SCALAR T backward(T x, T, T dy) const { return T(2) * x * dy; }
  double reference(double x) const { return x * x; }
};

struct Tanh {
  static constexpr OpName name = "tanh";
  static constexpr const char* formula = "(e^x - e^-x) / (e^x + e^-x)";
  static constexpr double low = -2, high = 2;
  KETTE_SCALAR T forward(T x) const { return scalar::tanh(x); }
  KETTE_SCALAR T backward(T, T y, T dy) const { return (T(1) - y * y) * dy; }
  double reference(double x) const { return std::tanh(x); }
};

struct Sigmoid {
  static constexpr OpName name = "sigmoid";
  static constexpr const char* formula = "1 / (1 + e^-x)";
  static constexpr double low = -3, high = 3;
  KETTE_SCALAR T forward(T x) const { return scalar::sigmoid(x); }
  KETTE_SCALAR T backward(T, T y, T dy) const { return y * (T(1) - y) * dy; }
  double reference(double x) const { return 1 / (1 + std::exp(-x)); }
};

/// Sampled away from the kink at 0, where no derivative exists.
struct Relu {
  static constexpr OpName name = "relu";
  static constexpr const char* formula = "max(x, 0)";
  static constexpr double low = -2, high = 2;
  // Compared this way, a NaN stays a NaN.
  KETTE_SCALAR T forward(T x) const { return x < T(0) ? T(0) : x; }
  KETTE_SCALAR T backward(T, T y, T dy) const { return y <= T(0) ? T(0) : dy; }
  double reference(double x) const { return x > 0 ? x : 0; }
};

/// GELU in the tanh form of GPT-2 (Hendrycks and Gimpel 2016, section 2), computed as
/// x * sigmoid(2 u) with u the argument of tanh: sigmoid(2 u) equals (1 + tanh(u)) / 2 and has no cancellation.
struct Gelu {
  static constexpr OpName name = "gelu";
  static constexpr const char* formula = "x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))";
  static constexpr double low = -3, high = 3;
  KETTE_SCALAR T forward(T x) const { return x * scalar::sigmoid(doubled(x)); }
  KETTE_SCALAR T backward(T x, T, T dy) const {
    const T s = scalar::sigmoid(doubled(x));
    const T slope = T(2 * kScale) * (T(1) + T(3 * kCubic) * x * x);
    return dy * s * (T(1) + x * (T(1) - s) * slope);
  }
  double reference(double x) const {
    return 0.5 * x * (1 + std::tanh(kScale * (x + kCubic * x * x * x)));
  }

  static constexpr double kScale = 0.79788456080286535588, kCubic = 0.044715;

 private:
  KETTE_SCALAR static T doubled(T x) { return T(2 * kScale) * x * (T(1) + T(kCubic) * x * x); }
};

/// The distribution function of the standard normal. x times it is GELU.
struct NormalCdf {
  static constexpr OpName name = "normal_cdf";
  static constexpr const char* formula = "(1 + erf(x / sqrt(2))) / 2";
  static constexpr double low = -3, high = 3;
  KETTE_SCALAR T forward(T x) const { return scalar::normal_cdf(x); }
  KETTE_SCALAR T backward(T x, T, T dy) const {
    return dy * T(kDensityAt0) * scalar::exp(T(-0.5) * x * x);
  }
  double reference(double x) const { return 0.5 * (1 + std::erf(x / std::sqrt(2.0))); }

  static constexpr double kDensityAt0 = 0.39894228040143267794;  // 1 / sqrt(2 pi)
};

/// The exact GELU, which Gelu approximates (Hendrycks and Gimpel 2016, section 2); BERT's.
struct GeluErf {
  static constexpr OpName name = "gelu_erf";
  static constexpr const char* formula = "x / 2 * (1 + erf(x / sqrt(2)))";
  static constexpr double low = -3, high = 3;
  KETTE_SCALAR T forward(T x) const { return x * scalar::normal_cdf(x); }
  KETTE_SCALAR T backward(T x, T, T dy) const {
    return dy * (scalar::normal_cdf(x) + x * NormalCdf{}.backward(x, T(0), T(1)));
  }
  double reference(double x) const { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
};

/// The swish of Marian's models and of SwiGLU.
struct Silu {
  static constexpr OpName name = "silu";
  static constexpr const char* formula = "x / (1 + e^-x)";
  static constexpr double low = -3, high = 3;
  KETTE_SCALAR T forward(T x) const { return x * scalar::sigmoid(x); }
  KETTE_SCALAR T backward(T x, T, T dy) const {
    const T s = scalar::sigmoid(x);
    return dy * s * (T(1) + x * (T(1) - s));
  }
  double reference(double x) const { return x / (1 + std::exp(-x)); }
};

struct Add {
  static constexpr OpName name = "add";
  static constexpr const char* formula = "a + b";
  static constexpr double low = -2, high = 2;
  KETTE_SCALAR T forward(T a, T b) const { return a + b; }
  KETTE_SCALAR T backward_a(T, T, T, T dy) const { return dy; }
  KETTE_SCALAR T backward_b(T, T, T, T dy) const { return dy; }
  double reference(double a, double b) const { return a + b; }
};

struct Subtract {
  static constexpr OpName name = "subtract";
  static constexpr const char* formula = "a - b";
  static constexpr double low = -2, high = 2;
  KETTE_SCALAR T forward(T a, T b) const { return a - b; }
  KETTE_SCALAR T backward_a(T, T, T, T dy) const { return dy; }
  KETTE_SCALAR T backward_b(T, T, T, T dy) const { return -dy; }
  double reference(double a, double b) const { return a - b; }
};

struct Multiply {
  static constexpr OpName name = "multiply";
  static constexpr const char* formula = "a * b";
  static constexpr double low = -2, high = 2;
  KETTE_SCALAR T forward(T a, T b) const { return a * b; }
  KETTE_SCALAR T backward_a(T, T b, T, T dy) const { return dy * b; }
  KETTE_SCALAR T backward_b(T a, T, T, T dy) const { return dy * a; }
  double reference(double a, double b) const { return a * b; }
};

struct Divide {
  static constexpr OpName name = "divide";
  static constexpr const char* formula = "a / b";
  static constexpr double low = 0.5, high = 2;
  KETTE_SCALAR T forward(T a, T b) const { return a / b; }
  KETTE_SCALAR T backward_a(T, T b, T, T dy) const { return dy / b; }
  KETTE_SCALAR T backward_b(T, T b, T y, T dy) const { return -dy * y / b; }
  double reference(double a, double b) const { return a / b; }
};

/// If both are equal, the gradient goes to a. A NaN counts as the larger.
struct Maximum {
  static constexpr OpName name = "maximum";
  static constexpr const char* formula = "max(a, b)";
  static constexpr double low = -2, high = 2;
  KETTE_SCALAR T forward(T a, T b) const { return is_a(a, b) ? a : b; }
  KETTE_SCALAR T backward_a(T a, T b, T, T dy) const { return is_a(a, b) ? dy : T(0); }
  KETTE_SCALAR T backward_b(T a, T b, T, T dy) const { return is_a(a, b) ? T(0) : dy; }
  double reference(double a, double b) const { return a >= b ? a : b; }

 private:
  KETTE_SCALAR static bool is_a(T a, T b) { return !scalar::is_larger(b, a); }
};

/// Linear interpolation from a to b.
struct Lerp {
  static constexpr OpName name = "lerp";
  static constexpr const char* formula = "a + w (b - a)";
  static constexpr double low = -2, high = 2;
  double weight = 0.25;
  KETTE_SCALAR T forward(T a, T b) const { return a + static_cast<T>(weight) * (b - a); }
  KETTE_SCALAR T backward_a(T, T, T, T dy) const { return static_cast<T>(1 - weight) * dy; }
  KETTE_SCALAR T backward_b(T, T, T, T dy) const { return static_cast<T>(weight) * dy; }
  double reference(double a, double b) const { return a + weight * (b - a); }
};

#undef KETTE_SCALAR

using UnaryFunctions =
    std::tuple<Affine, Exp, Log, Sqrt, Square, Tanh, Sigmoid, Relu, Gelu, NormalCdf, GeluErf, Silu>;
using BinaryFunctions = std::tuple<Add, Subtract, Multiply, Divide, Maximum, Lerp>;

/// The activation that a linear layer applies while its result is still in cache.
enum class Activation : std::uint8_t { none, relu, gelu, gelu_erf, silu };

/// Calls function(functor) with the functor of an activation that is not `none`.
template <class Function>
constexpr void visit_activation(Activation activation, Function&& function) {
  switch (activation) {
    case Activation::relu:
      return function(Relu{});
    case Activation::gelu:
      return function(Gelu{});
    case Activation::gelu_erf:
      return function(GeluErf{});
    case Activation::silu:
      return function(Silu{});
    case Activation::none:
      break;
  }
}

}  // namespace kette

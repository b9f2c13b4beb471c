// The functors of tensor/elementwise.h as ops. Binary ones broadcast; the gradient slot sums over
// the broadcast axes. Their tangents are in elementwise_tangents.h.
#pragma once

#include "autograd/op.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/elementwise_tangents.h"

namespace kette::ops {

/// The constants of a function, as parameters behind its operands.
template <class Function>
constexpr const char* kConstants = std::is_same_v<Function, Affine> ? ", factor, offset=0"
                                   : std::is_same_v<Function, Lerp> ? ", weight"
                                                                    : "";

template <class Function>
struct Unary {
  static constexpr OpName name = Function::name;
  static constexpr const char* formula = Function::formula;
  static constexpr const char* about = "Of each element of x, of any shape.";
  static std::string signature() { return std::string(name) + "(x" + kConstants<Function> + ")"; }
  Function function{};
  Tensor x{}, y{};

  Tensor forward(const Tensor& input) {
    x = input;
    y = Tensor::empty(x.shape(), x.dtype(), x.device());
    on(x.device(), [&](auto exec) { kernels::unary(exec, function, x, y); });
    return y;
  }
  void backward(const Tensor& dy, GradientSlot& dx) {
    const Tensor gradient = Tensor::empty(x.shape(), x.dtype(), x.device());
    on(x.device(), [&](auto exec) { kernels::unary_backward(exec, function, x, y, dy, gradient); });
    dx.add(gradient);
  }
  Variable tangent(const std::array<Variable, 1>& in, const std::array<Variable, 1>& din,
                   const Variable& out) const requires requires {
    tangent_of(function, in[0], din[0], out);
  }
  { return tangent_of(function, in[0], din[0], out); }
  static std::vector<Sample> samples();
};

template <class Function>
struct Binary {
  static constexpr OpName name = Function::name;
  static constexpr const char* formula = Function::formula;
  static constexpr const char* about = "Of each pair of elements. The operands broadcast.";
  static std::string signature() {
    return std::string(name) + "(a, b" + kConstants<Function> + ")";
  }
  /// A sum passes its gradient on unchanged and saves nothing.
  static constexpr bool kIsSum = std::is_same_v<Function, Add>;
  Function function{};
  Tensor a{}, b{}, y{};

  Tensor forward(const Tensor& left, const Tensor& right) {
    KETTE_CHECK(left.dtype() == right.dtype(), name, ": expected operands of one dtype, given ",
                left.str(), " and ", right.str());
    const Tensor result =
        Tensor::empty(broadcast(name, left.shape(), right.shape()), left.dtype(), left.device());
    on(left.device(), [&](auto exec) { kernels::binary(exec, function, left, right, result); });
    if constexpr (!kIsSum) {
      a = left;
      b = right;
      y = result;
    }
    return result;
  }
  void backward(const Tensor& dy, GradientSlot& da, GradientSlot& db) {
    if constexpr (kIsSum) {
      da.add(dy);
      db.add(dy);
      return;
    }
    const auto like_y = [&](const GradientSlot& slot) {
      return slot.wanted() ? Tensor::empty(y.shape(), y.dtype(), y.device()) : Tensor();
    };
    const Tensor left = like_y(da), right = like_y(db);
    on(y.device(),
       [&](auto exec) { kernels::binary_backward(exec, function, a, b, y, dy, left, right); });
    if (da.wanted()) da.add(left);
    if (db.wanted()) db.add(right);
  }
  Variable tangent(const std::array<Variable, 2>& in, const std::array<Variable, 2>& din,
                   const Variable& out) const requires requires {
    tangent_of(function, in, din, out);
  }
  { return tangent_of(function, in, din, out); }
  static std::vector<Sample> samples();
};

template <class Function>
std::vector<Sample> Unary<Function>::samples() {
  std::vector<Sample> result;
  for (const Shape& shape : {Shape{}, Shape{7}, Shape{3, 5}, Shape{2, 33}}) {
    const auto call = [](const std::vector<Variable>& in) { return record(Unary{}, in[0]); };
    const auto reference = [](const std::vector<Values>& in) {
      Values y = in[0];
      for (double& value : y) value = Function{}.reference(value);
      return y;
    };
    result.push_back({shape.str(), {{shape, Function::low, Function::high}}, call, reference});
  }
  return result;
}

template <class Function>
std::vector<Sample> Binary<Function>::samples() {
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{3, 5}, {3, 5}},    {{3, 5}, {5}},          {{3, 1}, {1, 5}}, {{}, {4}},
      {{2, 3, 4}, {3, 1}}, {{2, 1, 4}, {2, 3, 1}}, {{6}, {1}}};
  std::vector<Sample> result;
  for (const auto& [a, b] : shapes) {
    const Shape y = broadcast(name, a, b);
    result.push_back(Sample{
        a.str() + " with " + b.str(),
        {{a, Function::low, Function::high}, {b, Function::low, Function::high}},
        [](const std::vector<Variable>& in) { return record(Binary{}, in[0], in[1]); },
        [a = a, b = b, y](const std::vector<Values>& in) {
          // The element of a broadcast operand, computed from its coordinates.
          const auto element = [&y](const Shape& shape, const Values& from, std::int64_t index) {
            std::int64_t at = 0, stride = 1;
            for (int axis = -1; - axis <= y.rank(); --axis) {
              const std::int64_t coordinate = index % y[axis];
              index /= y[axis];
              if (-axis > shape.rank()) continue;
              if (shape[axis] != 1) at += coordinate * stride;
              stride *= shape[axis];
            }
            return from[at];
          };
          Values values(static_cast<std::size_t>(y.elements()));
          for (std::size_t i = 0; i < values.size(); ++i) {
            const auto index = static_cast<std::int64_t>(i);
            values[i] = Function{}.reference(element(a, in[0], index), element(b, in[1], index));
          }
          return values;
        }});
  }
  return result;
}

}  // namespace kette::ops

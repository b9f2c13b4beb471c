// Forward mode: the tangents of an op's results (Variable::tangent; Baydin et al. 2018, section
// 3.1). For it an op has one of
//   Variable tangent(const std::array<Variable, N>& x, const std::array<Variable, N>& dx,
//                    const Variable& y) const;
//   static constexpr bool kIsLinear = true;                    in all inputs: its tangent is op(dx)
//   Variable composed(const std::array<Variable, N>& x) const; the same function, of simpler ops
// made of ops, so that a tape can record it for second derivatives. (With several outputs, y and
// the returned value are std::arrays.) An op without any of them throws NoTangent, with its name,
// in forward mode.
#pragma once

#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "autograd/variable.h"

namespace kette {

/// Thrown in forward mode for an op without a tangent.
class NoTangent : public Error {
 public:
  using Error::Error;
};

template <class Op, class... Inputs>
auto record(Op op, const Inputs&... input);

namespace detail {

inline std::array<Variable, 1> in_array(Variable output) { return {std::move(output)}; }
template <std::size_t kOutputs>
std::array<Variable, kOutputs> in_array(std::array<Variable, kOutputs> outputs) {
  return outputs;
}

/// While one lives, results get no tangents even if inputs have: tangents are computed from values.
class PauseTangents {
 public:
  PauseTangents() : before_(std::exchange(paused, true)) {}
  ~PauseTangents() { paused = before_; }
  PauseTangents(const PauseTangents&) = delete;
  PauseTangents& operator=(const PauseTangents&) = delete;
  static inline thread_local bool paused = false;

 private:
  bool before_;
};

/// Gives the results their tangents. op: its state before forward.
template <class Op, std::size_t kInputs, std::size_t kOutputs>
void add_tangents(const Op& op, const std::array<const Variable*, kInputs>& inputs,
                  std::array<Variable, kOutputs>& results) {
  std::array<Variable, kInputs> x, dx;
  for (std::size_t i = 0; i < kInputs; ++i) {
    x[i] = *inputs[i];
    const Tensor& value = x[i].value();
    dx[i] = x[i].tangent();
    if (!dx[i].value().defined() && value.defined()) {
      dx[i] = Tensor::zeros(value.shape(), value.dtype(), value.device());
    }
  }
  const auto give = [&](const std::array<Variable, kOutputs>& tangents) {
    for (std::size_t i = 0; i < kOutputs; ++i) results[i] = results[i].with_tangent(tangents[i]);
  };
  if constexpr (requires { op.composed(x); }) {
    std::array<Variable, kOutputs> again = in_array(op.composed(x));
    for (Variable& result : again) result = result.tangent();
    give(again);
  } else if constexpr (requires { Op::kIsLinear; }) {
    const PauseTangents pause;
    give(std::apply([&](const auto&... input) { return in_array(kette::record(op, input...)); },
                    dx));
  } else if constexpr (requires { op.tangent(x, dx, results); }) {
    const PauseTangents pause;
    give(op.tangent(x, dx, results));
  } else if constexpr (requires { op.tangent(x, dx, results[0]); }) {
    const PauseTangents pause;
    give({op.tangent(x, dx, results[0])});
  } else {
    throw NoTangent(std::string(static_cast<const char*>(Op::name)) +
                    ": expected an op that has a tangent, given one without");
  }
}

}  // namespace detail
}  // namespace kette

// Ops with a gradient that is wrong in one way, to see whether a check finds it. Their values, and their tangents, are right.
#pragma once

#include "autograd/all_ops.h"
#include "autograd/gradient_check.h"
#include "autograd/leaf_tangents.h"

namespace kette::testing {

/// Changes the right gradients, one for each input; x: the inputs.
using Spoil = std::function<void(std::vector<Values>& gradients, const std::vector<Values>& x)>;

/// A function as one op. Its gradient is that of `backward_of` (the function itself, unless another is given), spoiled.
struct Planted {
  static constexpr const char* name = "planted";
  DifferentiableFunction function, backward_of{};
  Spoil spoil{};
  std::vector<Tensor> inputs{};

  template <class... T>
  Tensor forward(const T&... input) {
    inputs = {input...};
    const PauseRecording pause;
    return function(std::vector<Variable>(inputs.begin(), inputs.end()))[0].value();
  }
  template <class... Slot>
  void backward(const Tensor& dy, Slot&... slots) {
    Tape tape;
    std::vector<Variable> watched;
    for (const Tensor& input : inputs) watched.push_back(tape.watch(input));
    const Variable y = (backward_of ? backward_of : function)(watched)[0];
    tape.backward(y, dy.clone());
    std::vector<Values> gradients, x;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Tensor gradient = tape.gradient(watched[i]);
      gradients.push_back(gradient.defined()
                              ? gradient.values<double>()
                              : Values(static_cast<std::size_t>(inputs[i].elements())));
      x.push_back(inputs[i].values<double>());
    }
    if (spoil) spoil(gradients, x);
    std::size_t at = 0;
    const auto hand_over = [&](GradientSlot& slot) {
      slot.add(Tensor::from(gradients[at], inputs[at].shape()).to(inputs[at].dtype()));
      ++at;
    };
    (hand_over(slots), ...);
  }
  template <std::size_t kInputs>
  Variable composed(const std::array<Variable, kInputs>& x) const {
    return function(std::vector<Variable>(x.begin(), x.end()))[0];
  }
};

inline Variable planted(const Planted& op, const std::vector<Variable>& in) {
  switch (in.size()) {
    case 1:
      return record(op, in[0]);
    case 2:
      return record(op, in[0], in[1]);
    case 3:
      return record(op, in[0], in[1], in[2]);
    case 4:
      return record(op, in[0], in[1], in[2], in[3]);
    default:
      return record(op, in[0], in[1], in[2], in[3], in[4]);
  }
}

struct PlantedGradient {
  std::string what;
  DifferentiableFunction function;
  std::vector<SampleInput> inputs;
};

/// Of ops of every kind.
std::vector<PlantedGradient> planted_gradients();

// Ways to spoil the gradient of an input.
Spoil times(double factor, std::size_t input = 0);
Spoil one_element(double factor, std::size_t input = 0);       ///< the middle one
Spoil smallest_element(double factor, std::size_t input = 0);  ///< of those that are not zero
Spoil where_negative(double factor, std::size_t input = 0);    ///< where the input itself is
Spoil last_rows(double factor, std::int64_t width,
                std::size_t input = 0);  ///< the last third of the rows
Spoil shifted(std::int64_t elements,
              std::size_t input = 0);  ///< handed to the element that many further on
Spoil transposed(std::int64_t width, std::size_t input = 0);

}  // namespace kette::testing

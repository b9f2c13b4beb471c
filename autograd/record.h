// record(): applies an op and, if a tape is alive and wants the result's gradient, appends it.
//
// An op is a struct, one per differentiable function, with everything that is known about it:
//   static constexpr const char* name, *formula;
//   Tensor forward(const Tensor& input...);                    keeps what backward needs as members
//   void backward(const Tensor& dy, GradientSlot& input...);   adds to the inputs' slots
//   static std::vector<Sample> samples();                      inputs to check it on (sample.h)
// backward may write over dy when it is its sole owner. An op without backward does not compile
// here. Of an op with several outputs forward returns a std::array of them, and backward is given one
// of their gradients, undefined where nothing depends on an output.
#pragma once

#include <algorithm>

#include "autograd/anomaly.h"
#include "autograd/tape.h"

namespace kette {

template <class Op, std::size_t kInputs, std::size_t kOutputs>
class OpNode final : public Tape::Node {
 public:
  explicit OpNode(Op op) : op_(std::move(op)) {}
  const char* name() const override { return Op::name; }
  void backward(std::span<Tensor> gradients, std::span<GradientSlot* const> inputs) override {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      if constexpr (kOutputs == 1) {
        op_.backward(gradients[0], *inputs[I]...);
      } else {
        std::array<Tensor, kOutputs> all;
        std::move(gradients.begin(), gradients.end(), all.begin());
        op_.backward(all, *inputs[I]...);
      }
    }
    (std::make_index_sequence<kInputs>{});
  }

 private:
  Op op_;
};

namespace detail {

template <class Op, std::size_t kOutputs, class... Inputs>
std::array<Variable, kOutputs> record(Op op, std::array<Tensor, kOutputs> outputs,
                                      const Inputs&... input) {
  const std::array<const Variable*, sizeof...(Inputs)> inputs{&input...};
  for (const Tensor& output : outputs) check_forward(Op::name, inputs, output);
  Tape* tape = Tape::current();
  std::array<Variable, kOutputs> results;
  if (tape == nullptr || !(tape->tracks(input) || ...)) {
    std::move(outputs.begin(), outputs.end(), results.begin());
  } else {
    using Node = OpNode<Op, sizeof...(Inputs), kOutputs>;
    auto recorded = tape->append(std::make_unique<Node>(std::move(op)), inputs, outputs);
    std::move(recorded.begin(), recorded.end(), results.begin());
  }
  return results;
}

}  // namespace detail

/// The result, or a std::array of the results.
template <class Op, class... Inputs>
auto record(Op op, const Inputs&... input) {
  auto outputs = op.forward(input.value()...);
  if constexpr (std::is_same_v<decltype(outputs), Tensor>) {
    return detail::record(std::move(op), std::array{std::move(outputs)}, input...)[0];
  } else {
    return detail::record(std::move(op), std::move(outputs), input...);
  }
}

}  // namespace kette

// record(): applies an op and, if a tape is alive and wants the result's gradient, appends it.
//
// An op is a struct, one per differentiable function, with everything that is known about it:
//   static constexpr const char* name, *formula;
//   Tensor forward(const Tensor& input...);                    keeps what backward needs as members
//   void backward(const Tensor& dy, GradientSlot& input...);   adds to the inputs' slots
//   static std::vector<Sample> samples();                      inputs to check it on (sample.h)
// backward may write over dy when it is its sole owner. An op without backward does not compile
// here.
#pragma once

#include "autograd/anomaly.h"
#include "autograd/tape.h"

namespace kette {

template <class Op, std::size_t kInputs>
class OpNode final : public Tape::Node {
 public:
  explicit OpNode(Op op) : op_(std::move(op)) {}
  const char* name() const override { return Op::name; }
  void backward(const Tensor& output_gradient, std::span<GradientSlot* const> inputs) override {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      op_.backward(output_gradient, *inputs[I]...);
    }
    (std::make_index_sequence<kInputs>{});
  }

 private:
  Op op_;
};

template <class Op, class... Inputs>
Variable record(Op op, const Inputs&... input) {
  const std::array<const Variable*, sizeof...(Inputs)> inputs{&input...};
  Tensor output = op.forward(input.value()...);
  check_forward(Op::name, inputs, output);
  Tape* tape = Tape::current();
  if (tape == nullptr || !(tape->tracks(input) || ...)) return Variable(std::move(output));
  return tape->append(std::make_unique<OpNode<Op, sizeof...(Inputs)>>(std::move(op)), inputs,
                      std::move(output));
}

}  // namespace kette

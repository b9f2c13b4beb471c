#include "autograd/checkpoint.h"

#include "autograd/anomaly.h"
#include "autograd/tape.h"

namespace kette {
namespace {

class CheckpointNode final : public Tape::Node {
 public:
  CheckpointNode(std::function<Variable(const std::vector<Variable>&)> function,
                 const std::vector<Variable>& inputs)
      : function_(std::move(function)) {
    for (const Variable& input : inputs) values_.push_back(input.value());
  }
  const char* name() const override { return "checkpoint"; }
  bool has_other_leaves() const override { return true; }
  void backward(std::span<Tensor> gradients, std::span<GradientSlot* const> inputs) override {
    Tape tape;
    std::vector<Variable> again;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      again.push_back(inputs[i]->wanted() ? tape.watch(values_[i]) : Variable(values_[i]));
    }
    const Variable result = function_(again);
    if (!tape.tracks(result)) return;  // the inputs are constants, the layers frozen
    tape.backward(result, gradients[0]);
    for (std::size_t i = 0; i < again.size(); ++i) {
      if (!inputs[i]->wanted()) continue;
      if (Tensor gradient = tape.gradient(again[i]); gradient.defined()) inputs[i]->add(gradient);
    }
  }

  std::vector<Variable> again(std::span<const Variable> inputs) const override {
    return {function_({inputs.begin(), inputs.end()})};
  }

 private:
  std::function<Variable(const std::vector<Variable>&)> function_;
  std::vector<Tensor> values_;
};

}  // namespace

Variable checkpoint(std::function<Variable(const std::vector<Variable>&)> function,
                    const std::vector<Variable>& inputs) {
  Tape* tape = Tape::current();
  if (tape == nullptr) return function(inputs);
  // Parameters are leaves wherever they are used; the others enter the recomputation as inputs.
  Tensor output;
  bool is_dual = false;
  {
    const PauseRecording pause;
    const Variable result = function(inputs);
    output = result.value();
    is_dual = result.has_tangent();
  }
  if (is_dual) return function(inputs);  // second derivatives need what the tape keeps
  std::vector<const Variable*> pointers;
  for (const Variable& input : inputs) pointers.push_back(&input);
  auto node = std::make_unique<CheckpointNode>(std::move(function), inputs);
  return tape->append(std::move(node), pointers, std::array{output}).front();
}

}  // namespace kette

// record(): applies an op and, if a tape is alive and wants the result's gradient, appends it.
//
// An op is a struct, one per differentiable function, with all that belongs to it:
//   static constexpr const char* name, *formula, *signature, *about;   the last two: op_info.h
//   Tensor forward(const Tensor& input...);                    saves what backward needs in members
//   void backward(const Tensor& dy, GradientSlot& input...);   adds to the inputs' slots
//   static std::vector<Sample> samples();                      inputs to check it on (sample.h)
// backward may overwrite dy if it is its sole owner. An op without backward does not compile here.
// For forward mode it may also have a tangent (tangents.h). With several outputs, forward returns a
// std::array of them, and backward gets one of their gradients, undefined for unused outputs. A
// name that is an OpName (tensor/op_name.h) also has the op's source line. If the op reads only
// some rows of its last input, a table, set static constexpr bool kReadsRowsOfTable = true.
#pragma once

#include <algorithm>

#include "autograd/anomaly.h"
#include "autograd/op_observer.h"
#include "autograd/tangents.h"

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
  std::vector<Variable> again(std::span<const Variable> inputs) const override;

 private:
  Op op_;
};

namespace detail {

template <class Op>
OpCall call_of(std::span<const Variable* const> inputs) {
  OpCall call{OpName(Op::name, "", 0), "", inputs};
  if constexpr (std::is_same_v<std::decay_t<decltype(Op::name)>, OpName>) call.name = Op::name;
  if constexpr (requires { Op::formula; }) call.formula = Op::formula;
  if constexpr (requires { Op::kReadsRowsOfTable; }) call.reads_rows_of_table = true;
  return call;
}

/// Kernels assume that every operand is on their device.
inline void check_devices(const char* op, std::span<const Variable* const> inputs) {
  const Tensor* first = nullptr;
  for (const Variable* input : inputs) {
    const Tensor& value = input->value();
    if (!value.defined()) continue;
    if (first == nullptr) first = &value;
    KETTE_CHECK(value.device() == first->device(), op, ": expected operands on one device, given ",
                first->str(), " and ", value.str());
  }
}

template <class Op, std::size_t kInputs, std::size_t kOutputs>
std::array<Variable, kOutputs> append(Op op, std::array<Tensor, kOutputs> outputs,
                                      const std::array<const Variable*, kInputs>& inputs) {
  for (const Tensor& output : outputs) check_forward(Op::name, inputs, output);
  std::array<Variable, kOutputs> results;
  Tape* tape = Tape::tracking(inputs);
  if (tape == nullptr) {
    std::move(outputs.begin(), outputs.end(), results.begin());
  } else {
    using Node = OpNode<Op, kInputs, kOutputs>;
    auto recorded = tape->append(std::make_unique<Node>(std::move(op)), inputs, outputs);
    std::move(recorded.begin(), recorded.end(), results.begin());
  }
  return results;
}

inline std::array<Tensor, 1> in_array(Tensor output) { return {std::move(output)}; }
template <std::size_t kOutputs>
std::array<Tensor, kOutputs> in_array(std::array<Tensor, kOutputs> outputs) {
  return outputs;
}

/// The results, always as an array.
template <class Op, class... Inputs>
auto record(Op op, const Inputs&... input) {
  const std::array<const Variable*, sizeof...(Inputs)> inputs{&input...};
  check_devices(Op::name, inputs);
  OpObserver* observer = OpObserver::current();
  if (observer) observer->before_forward(call_of<Op>(inputs));
  std::optional<Op> as_set;  // a copy: forward saves tensors in op
  if (!PauseTangents::paused && (input.has_tangent() || ...)) as_set.emplace(op);
  std::array outputs = in_array(op.forward(input.value()...));
  auto results = append(std::move(op), std::move(outputs), inputs);
  if (as_set) add_tangents(*as_set, inputs, results);
  if (observer) observer->after_forward(results);
  return results;
}

}  // namespace detail

template <class Op, std::size_t kInputs, std::size_t kOutputs>
std::vector<Variable> OpNode<Op, kInputs, kOutputs>::again(std::span<const Variable> inputs) const {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto results = detail::record(op_, inputs[I]...);
    return std::vector<Variable>(results.begin(), results.end());
  }
  (std::make_index_sequence<kInputs>{});
}

/// The result, or a std::array of the results.
template <class Op, class... Inputs>
auto record(Op op, const Inputs&... input) {
  constexpr bool kOne = std::is_same_v<decltype(op.forward(input.value()...)), Tensor>;
  auto results = detail::record(std::move(op), input...);
  if constexpr (kOne) {
    return results[0];
  } else {
    return results;
  }
}

}  // namespace kette

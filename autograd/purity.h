// What an op must not do, and is watched for while a gradient is checked: change its inputs, and write over a gradient
// that others still read (record.h: backward may write over dy when it is its sole owner).
#pragma once

#include "autograd/op_observer.h"

namespace kette {

class PurityObserver final : public OpObserver {
 public:
  /// The first such deed: "scratch: backward wrote over the gradient of its output, which others read". Empty: none.
  const std::string& fault() const { return fault_; }

 private:
  /// A tensor with what was in it.
  struct Kept {
    Tensor tensor, before;
  };

  void before_forward(const OpCall& call) override;
  void recorded(const TapeEntry&, std::span<const Variable* const>) override {}
  void after_forward(std::span<const Variable> results) override;
  void before_backward(const TapeEntry& entry, std::span<const Tensor> gradients,
                       std::span<GradientSlot* const> inputs) override;
  void after_backward(const TapeEntry& entry, std::span<GradientSlot* const> inputs) override;
  void note(const std::string& deed);

  std::string fault_;
  std::vector<std::pair<std::string, std::vector<Kept>>>
      forward_;  // ops that run, an op's own ops within
  std::vector<Kept> backward_;
};

/// Where two tensors of one shape and dtype differ by a bit, as "[2, 1] (0.5, then 0.7)"; empty: nowhere.
std::string difference_of(const Tensor& before, const Tensor& after);

}  // namespace kette

// Watches ops during a gradient check for what they must not do: change their inputs, or overwrite
// a gradient that others still read (record.h: backward may overwrite dy only as its sole owner).
#pragma once

#include "autograd/op_observer.h"

namespace kette {

class PurityObserver final : public OpObserver {
 public:
  /// The first fault: "scratch: backward wrote over the gradient of its output, which others read".
  /// Empty: none.
  const std::string& fault() const { return fault_; }

 private:
  /// A tensor and a copy of its values.
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
      forward_;  // ops that run; ops called inside an op nest
  std::vector<Kept> backward_;
};

/// The first difference in bits of two tensors of one shape and dtype: "[2, 1] (0.5, then 0.7)".
/// Empty: none.
std::string difference_of(const Tensor& before, const Tensor& after);

}  // namespace kette

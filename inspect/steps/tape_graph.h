// A small tape as a graph: each op with its inputs, the values of small tensors, and after backward() the gradients.
// Drawn as SVG, from left to right.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "autograd/op_observer.h"

namespace kette {

/// Observes a tape while it records, and while it goes back.
class TapeGraph final : public OpObserver {
 public:
  /// A tape of more ops is not recorded any further, and not drawn.
  static constexpr std::int64_t kMostOps = 64;

  explicit TapeGraph(const Tape& tape) : tape_(&tape) {}

  void before_forward(const OpCall&) override {}
  void recorded(const TapeEntry& entry, std::span<const Variable* const> inputs) override;
  void after_forward(std::span<const Variable> results) override;
  void before_backward(const TapeEntry& entry, std::span<const Tensor> gradients,
                       std::span<GradientSlot* const> inputs) override;
  void after_backward(const TapeEntry& entry, std::span<GradientSlot* const> inputs) override;

  bool is_whole() const { return ops_ <= kMostOps; }
  /// An <svg> element; empty if there is nothing to draw, or too much.
  std::string svg() const;

 private:
  /// A box: a parameter, a constant, or the output of an op.
  struct Box {
    std::string title, shape;
    std::string value{}, gradient{};  // of few elements
    std::vector<std::size_t> inputs{};
    bool is_op = false;
    int column = 0;
  };
  std::size_t box_of(const Variable& input, std::int64_t slot);

  const Tape* tape_;
  std::int64_t ops_ = 0;
  std::vector<Box> boxes_;
  std::map<std::int64_t, std::size_t> by_slot_;  // boxes of tracked values
  std::vector<std::size_t> latest_;  // boxes of the outputs of the op that was recorded last
};

}  // namespace kette

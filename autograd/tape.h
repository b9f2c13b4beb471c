// The dynamic tape: reverse-mode automatic differentiation (Baydin et al. 2018, section 3.2;
// Goodfellow et al., Deep Learning, section 6.5.6). While a Tape is alive on a thread, every op
// applied to a tracked value is appended to it; backward() walks the list once from the end, frees
// each node as it passes, and needs no sort and no recursion. Nothing is recorded unless a Tape is
// alive, so inference pays nothing.
//
//   Tape tape;
//   Variable loss = model(batch);
//   tape.backward(loss);                    // gradients are added to the parameters' leaves
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "autograd/gradient_slot.h"
#include "autograd/variable.h"

namespace kette {

class Tape {
 public:
  Tape();
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  /// The tape that records on this thread, or null.
  static Tape* current();

  /// A value whose gradient is wanted though it is no parameter; read it with gradient().
  Variable watch(const Tensor& value);
  /// Whom backward() tells of each leaf that the tape knows as soon as it adds nothing more to its gradient.
  void when_final(std::function<void(const Leaf&)> tell) { tell_ = std::move(tell); }
  /// The gradient of a watched value after backward(); undefined if none arrived.
  Tensor gradient(const Variable& watched) const;

  /// From a scalar: d output / d leaf is added to every leaf. Once only: the nodes are gone afterwards.
  void backward(const Variable& output);
  /// From any shape, given the gradient of the output.
  void backward(const Variable& output, const Tensor& output_gradient);
  /// From several, given the gradient of each.
  void backward(std::span<const Variable> outputs, std::span<const Tensor> output_gradients);

  /// One line per recorded node: number, outputs, op, inputs, shapes. For library users and debuggers.
  std::string str() const;
  std::int64_t size() const { return static_cast<std::int64_t>(nodes_.size()); }

  // --- for record() and ops ---
  /// What backward() calls for one node. gradients: of the op's outputs, at least one of them defined.
  /// inputs: the slots of the op's inputs.
  class Node {
   public:
    virtual ~Node() = default;
    virtual const char* name() const = 0;
    /// Whether its backward adds to leaves that are not among its inputs.
    virtual bool has_other_leaves() const { return false; }
    virtual void backward(std::span<Tensor> gradients, std::span<GradientSlot* const> inputs) = 0;
    /// The op, as it was set, of other inputs of the same shapes: on the tape that is alive then.
    virtual std::vector<Variable> again(std::span<const Variable> inputs) const = 0;
  };
  /// Whether the value's gradient is wanted on this tape. A value of a dead tape is an Error.
  bool tracks(const Variable& value) const;
  std::vector<Variable> append(std::unique_ptr<Node> node, std::span<const Variable* const> inputs,
                               std::span<const Tensor> outputs);

 private:
  struct Entry {
    std::unique_ptr<Node> node;
    std::vector<std::int64_t> inputs;  // slots; -1: gradient not wanted
    std::vector<std::int64_t> outputs;
    std::vector<Shape> shapes;  // of the outputs
  };
  std::int64_t slot_of(const Variable& value);
  void backward_of(Entry& entry, std::span<Tensor> gradients,
                   std::span<GradientSlot* const> inputs);

  std::uint64_t serial_;
  Tape* previous_;
  bool finished_ = false;
  std::vector<GradientSlot> slots_;
  std::vector<Entry> nodes_;
  std::unordered_map<const Leaf*, std::int64_t> leaf_slots_;
  std::vector<std::pair<std::size_t, const Leaf*>> first_uses_;  // node, in order
  std::size_t first_with_others_ = SIZE_MAX;  // node, with leaves that it alone knows
  std::function<void(const Leaf&)> tell_;
};

/// Nothing is recorded on this thread while one is alive.
class PauseRecording {
 public:
  PauseRecording();
  ~PauseRecording();
  PauseRecording(const PauseRecording&) = delete;
  PauseRecording& operator=(const PauseRecording&) = delete;

 private:
  Tape* paused_;
};

}  // namespace kette

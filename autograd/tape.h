// The dynamic tape: reverse-mode automatic differentiation (Baydin et al. 2018, section 3.2; Goodfellow et al., Deep
// Learning, section 6.5.6). While a Tape is alive on a thread, every op on a tracked value is appended to it.
// backward() goes through the list once from the end and frees each node; it needs no sort and no recursion. Without a
// Tape nothing is recorded, so inference costs nothing extra. Within another tape an op is recorded on the innermost one
// that tracks an input; values of outer tapes are constants for it.
//
//   Tape tape;
//   Variable loss = model(batch);
//   tape.backward(loss);                    // gradients are added to the parameters' leaves
//
// A tape ends with its scope, or records only until stop(); tapes may end in any order. Those of several threads may go
// back at once, also to the same leaves.
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
  /// The innermost tape of this thread that tracks one of the values, so the one that records an op on them, or null.
  static Tape* tracking(std::span<const Variable* const> values);
  static Tape* tracking(const Variable& value);
  /// Ends recording; backward() is still possible. An Error on another thread than the tape's, or
  /// while a PauseRecording lives; the tape then goes on.
  void stop();
  bool is_recording() const { return is_recording_; }

  /// Tracks a value that is not a parameter; read its gradient with gradient().
  Variable watch(const Tensor& value);
  /// backward() calls tell(leaf) for each leaf of the tape once its gradient is final.
  void when_final(std::function<void(const Leaf&)> tell) { tell_ = std::move(tell); }
  /// The gradient of a watched value after backward(); undefined if none arrived. An Error for the
  /// result of an op, whose gradient is not kept.
  Tensor gradient(const Variable& watched) const;

  /// From a scalar: adds d output / d leaf to every leaf's gradient. Only once: it frees the nodes.
  void backward(const Variable& output);
  /// From any shape, given the gradient of the output.
  void backward(const Variable& output, const Tensor& output_gradient);
  /// From several outputs, given the gradient of each.
  void backward(std::span<const Variable> outputs, std::span<const Tensor> output_gradients);

  /// One line per recorded node: number, outputs, op, inputs, shapes. For debugging.
  std::string str() const;
  std::int64_t size() const { return static_cast<std::int64_t>(nodes_.size()); }

  // --- for record() and ops ---
  /// An op. gradients: of its outputs, at least one defined. inputs: the slots of its inputs.
  class Node {
   public:
    virtual ~Node() = default;
    virtual const char* name() const = 0;
    /// Whether its backward adds to leaves that are not among its inputs.
    virtual bool has_other_leaves() const { return false; }
    virtual void backward(std::span<Tensor> gradients, std::span<GradientSlot* const> inputs) = 0;
    /// Applies the op to other inputs of the same shapes, on the current tape.
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
  static bool leave(const Tape& tape);
  std::int64_t slot_of(const Variable& value);
  void backward_of(Entry& entry, std::span<Tensor> gradients,
                   std::span<GradientSlot* const> inputs);

  std::uint64_t serial_;
  Tape* previous_;                    // recorded before it on this thread
  std::vector<std::uint64_t> outer_;  // the serial numbers of all that did
  bool is_recording_ = true, finished_ = false;
  std::vector<GradientSlot> slots_;
  std::vector<std::int64_t> watched_;  // slots, in order
  std::vector<Entry> nodes_;
  std::unordered_map<const Leaf*, std::int64_t> leaf_slots_;
  std::vector<std::pair<std::size_t, const Leaf*>> first_uses_;  // node, in order
  std::size_t first_with_others_ = SIZE_MAX;                     // the first node with other leaves
  std::function<void(const Leaf&)> tell_;
};

/// While one is alive, nothing is recorded on this thread.
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

// Who watches ops (inspect/): told of each as it runs forward, is recorded, and runs backward. Where nobody
// watches a thread, that costs a branch.
#pragma once

#include "autograd/tape.h"
#include "tensor/op_name.h"

namespace kette {

/// An op about to run.
struct OpCall {
  OpName name;
  const char* formula;
  std::span<const Variable* const> inputs;
  /// Of its last input, a table, only some rows are read, one for each row of the result.
  bool reads_rows_of_table = false;
};

/// A node of a tape.
struct TapeEntry {
  const Tape& tape;
  const Tape::Node& node;
  std::int64_t number;                   ///< on its tape
  std::span<const std::int64_t> inputs;  ///< slots; -1: gradient not wanted
  std::span<const std::int64_t> outputs;
};

class OpObserver {
 public:
  virtual ~OpObserver() = default;

  virtual void before_forward(const OpCall& call) = 0;
  /// Between the other two, if a tape records it. inputs: the op's.
  virtual void recorded(const TapeEntry& entry, std::span<const Variable* const> inputs) = 0;
  virtual void after_forward(std::span<const Variable> results) = 0;
  /// gradients: of the outputs, some perhaps undefined. inputs: where those of the op's inputs gather.
  /// What is kept of either changes what the op may write over: only look.
  virtual void before_backward(const TapeEntry& entry, std::span<const Tensor> gradients,
                               std::span<GradientSlot* const> inputs) = 0;
  virtual void after_backward(const TapeEntry& entry, std::span<GradientSlot* const> inputs) = 0;

  /// The one that watches this thread, or null.
  static OpObserver* current();
};

/// Watches this thread while one is alive.
class OpObservation {
 public:
  explicit OpObservation(OpObserver* observer);
  ~OpObservation();
  OpObservation(const OpObservation&) = delete;
  OpObservation& operator=(const OpObservation&) = delete;

 private:
  OpObserver* previous_;
};

}  // namespace kette

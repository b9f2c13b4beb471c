// Observers of ops (inspect/): told when each op runs forward, is recorded, and runs backward.
// Without an observer on the thread this costs one branch.
#pragma once

#include "autograd/tape.h"
#include "tensor/op_name.h"

namespace kette {

/// An op about to run.
struct OpCall {
  OpName name;
  const char* formula;
  std::span<const Variable* const> inputs;
  /// The last input is a table, of which one row is read for each row of the result.
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
  /// Called between the other two, if a tape records the op. inputs: the op's.
  virtual void recorded(const TapeEntry& entry, std::span<const Variable* const> inputs) = 0;
  virtual void after_forward(std::span<const Variable> results) = 0;
  /// gradients: of the outputs, some perhaps undefined. inputs: the slots of the op's inputs. Only
  /// read them: a kept copy of a tensor would change what the op may overwrite.
  virtual void before_backward(const TapeEntry& entry, std::span<const Tensor> gradients,
                               std::span<GradientSlot* const> inputs) = 0;
  virtual void after_backward(const TapeEntry& entry, std::span<GradientSlot* const> inputs) = 0;

  /// This thread's observer, or null.
  static OpObserver* current();
};

/// While it lives, `observer` watches this thread, unless a later one does. They may end in any order.
class OpObservation {
 public:
  explicit OpObservation(OpObserver* observer);
  ~OpObservation();
  OpObservation(const OpObservation&) = delete;
  OpObservation& operator=(const OpObservation&) = delete;

 private:
  friend class OpObserver;
  OpObserver* observer_;
  OpObservation* previous_;
};

}  // namespace kette

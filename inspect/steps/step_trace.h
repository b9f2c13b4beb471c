// A step of training or of decoding as it went, as plain data: what Chrome's trace format (trace_json.h), the
// tables (trace_summary.h) and pages are made of. StepRecorder (step_recorder.h) makes one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace kette {

struct TensorInfo {
  Shape shape;
  DType dtype = DType::f32;

  static TensorInfo of(const Tensor& tensor) { return {tensor.shape(), tensor.dtype()}; }
  std::int64_t bytes() const {
    return shape.elements() * static_cast<std::int64_t>(size_of(dtype));
  }
  /// "f32 [17, 512]"
  std::string str() const { return std::string(name_of(dtype)) + " " + shape.str(); }
};

/// A stretch of work. Of two either one lies in the other, or they have no moment in common.
struct Slice {
  enum class Kind : std::uint8_t {
    phase,     ///< of a step, such as forward, backward and update; others lie in it
    forward,   ///< an op
    backward,  ///< an op's, of a recorded node
    kernel     ///< work of the device outside of ops
  };

  std::string name;
  Kind kind = Kind::phase;
  std::string scope;  ///< the op's place in the model (scope_finder.h); empty: unknown, or none
  std::int64_t parent = -1;         ///< the slice it lies in; -1: none
  std::int64_t begin = 0, end = 0;  ///< nanoseconds since the step began
  /// In the slices that lie in this one.
  std::int64_t nanoseconds_below = 0;
  /// backward: the gradients of the outputs, and those it gave to inputs.
  std::vector<TensorInfo> inputs, outputs;
  /// Of its products, and of those of nothing that lies in it: 2 m n k each; of attention those of the pairs
  /// of a query and a key that it sees.
  double flops = 0;
  /// The sizes of its inputs and outputs, once each, and of a table its rows that are read; backward: of
  /// the output gradients, the inputs, and the gradients it gave. What a kernel reads again and what it
  /// keeps aside is not in it.
  double bytes = 0;
  /// backward: the slice of the node's forward. Otherwise -1.
  std::int64_t of_forward = -1;

  std::int64_t nanoseconds() const { return end - begin; }
  std::int64_t own_nanoseconds() const { return nanoseconds() - nanoseconds_below; }
};

/// How much of the device's memory was in use from then on.
struct MemoryChange {
  std::int64_t at = 0;  ///< nanoseconds since the step began
  std::int64_t bytes = 0;
};

/// Memory of the pool that was in use for some of the step.
struct MemoryBlock {
  /// "parameters", "gradients", "first moment", ... as the program says; or "activation", what an op
  /// has left for others, mostly for the backward pass; "gradient", what the backward of an op has left;
  /// "workspace", what work that is on has taken for itself; "other", what was taken outside of ops, such as
  /// ids; "before", what was there before the step.
  std::string what;
  std::int64_t slice = -1;  ///< whose work took it; -1: none, or before the step
  std::int64_t bytes = 0;
  std::int64_t begin = 0, end = 0;  ///< nanoseconds since the step began; of what stays: its end
};

/// Blocks of one kind that live at the peak.
struct MemoryHolder {
  std::string what;
  std::string op, scope;  ///< whose work took them; empty where the program says what they are
  std::int64_t bytes = 0, blocks = 0;
};

struct StepTrace {
  std::string device;
  std::int64_t nanoseconds = 0;
  std::vector<Slice> slices;         ///< in the order in which they begin
  std::vector<MemoryChange> memory;  ///< the first is how the step finds it
  std::vector<MemoryBlock> blocks;   ///< all bytes that were in use at some time
  MemoryChange peak;
  std::vector<MemoryHolder> at_peak;  ///< falling by bytes, which add up to those of the peak
};

}  // namespace kette

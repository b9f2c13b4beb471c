// The trace of a training or decoding step as plain data. StepRecorder (step_recorder.h) makes it; Chrome's trace
// format (trace_json.h), tables (trace_summary.h) and pages are made of it.
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

/// A time interval of work. Two slices are either nested or disjoint.
struct Slice {
  enum class Kind : std::uint8_t {
    phase,     ///< of the step, such as forward, backward and update; contains other slices
    forward,   ///< an op's forward
    backward,  ///< a recorded op's backward
    kernel     ///< work of the device outside of ops
  };

  std::string name;
  Kind kind = Kind::phase;
  std::string scope;  ///< the op's place in the model (scope_finder.h); empty: unknown or none
  std::int64_t parent = -1;         ///< the slice that contains it; -1: none
  std::int64_t begin = 0, end = 0;  ///< nanoseconds since the step began
  /// The time of the slices within it.
  std::int64_t nanoseconds_below = 0;
  /// backward: the gradients of the op's outputs, and the gradients of its inputs.
  std::vector<TensorInfo> inputs, outputs;
  /// FLOPs of matrix products, 2 m n k each, without slices within it. Attention counts only pairs of a query and a key
  /// that it sees.
  double flops = 0;
  /// The bytes of inputs and outputs, once each; for a table only the rows read. backward: the bytes of the output
  /// gradients, the inputs and the input gradients. Excludes repeated reads and scratch memory.
  double bytes = 0;
  /// backward: the slice of its forward. Otherwise -1.
  std::int64_t of_forward = -1;

  std::int64_t nanoseconds() const { return end - begin; }
  std::int64_t own_nanoseconds() const { return nanoseconds() - nanoseconds_below; }
};

/// The device memory in use from a moment on.
struct MemoryChange {
  std::int64_t at = 0;  ///< nanoseconds since the step began
  std::int64_t bytes = 0;
};

/// A block of the memory pool that was in use during some of the step.
struct MemoryBlock {
  /// A name from the program: "parameters", "gradients", "first moment", ... Or:
  ///   "activation"  an op's forward left it, mostly for the backward pass
  ///   "gradient"    an op's backward left it
  ///   "workspace"   used only by the work in progress
  ///   "other"       allocated outside of ops, such as ids
  ///   "before"      allocated before the step
  std::string what;
  std::int64_t slice = -1;  ///< the slice that allocated it; -1: none, or before the step
  std::int64_t bytes = 0;
  std::int64_t begin = 0, end = 0;  ///< nanoseconds since the step began; at most the step's end
};

/// Blocks of one kind at the memory peak.
struct MemoryHolder {
  std::string what;
  std::string op, scope;  ///< that allocated them; empty if the program named them
  std::int64_t bytes = 0, blocks = 0;
};

struct StepTrace {
  std::string device;
  std::int64_t nanoseconds = 0;
  std::vector<Slice> slices;         ///< by begin
  std::vector<MemoryChange> memory;  ///< the first is the state before the step
  std::vector<MemoryBlock> blocks;   ///< all that were in use at some time
  MemoryChange peak;
  std::vector<MemoryHolder> at_peak;  ///< descending by bytes, which sum to the peak
};

}  // namespace kette

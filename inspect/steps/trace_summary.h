// What a traced step adds up to: by op, by place in the model, and against the limits of the machine.
#pragma once

#include "inspect/steps/step_trace.h"

namespace kette {

/// The most that the device does, as measured; 0: not measured.
struct MachineLimits {
  double gflops = 0;         ///< of matrix products
  double gb_per_second = 0;  ///< of memory

  /// The least time that work takes: its FLOPs at that rate, or its bytes, whichever takes longer.
  double least_seconds(double flops, double bytes) const;
};

/// Slices of one kind together. Of each only its own time counts, without the slices that lie in it, so that
/// the rows add up to the step.
struct TraceRow {
  std::string name;
  std::int64_t calls = 0;
  double seconds = 0;
  double flops = 0, bytes = 0;
  double least_seconds = 0;  ///< that the machine takes for it

  double gflops() const { return seconds > 0 ? flops / seconds * 1e-9 : 0; }
  double gb_per_second() const { return seconds > 0 ? bytes / seconds * 1e-9 : 0; }
  /// Of the machine's limit; of what lies in a cache it may be more than 1.
  double limit_share() const { return seconds > 0 ? least_seconds / seconds : 0; }
  void add(const Slice& slice, const MachineLimits& limits);
};

/// "linear", "linear backward", "clear_gradients", and of a phase "(forward)".
std::string title_of(const Slice& slice);
/// By these titles, of phases what is left of them; the longest first.
std::vector<TraceRow> rows_by_op(const StepTrace& trace, const MachineLimits& limits);
/// By the first `parts` parts of the scope, 0: all of it; the longest first. What has no scope is named by
/// its phase, "(update)".
std::vector<TraceRow> rows_by_scope(const StepTrace& trace, const MachineLimits& limits,
                                    std::int64_t parts);

/// "f32 [17, 512], f32 [512]"
std::string list_of(const std::vector<TensorInfo>& tensors);

}  // namespace kette

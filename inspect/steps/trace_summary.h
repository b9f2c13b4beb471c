// Sums of a traced step by op and by scope, compared with the limits of the machine.
#pragma once

#include "inspect/steps/step_trace.h"

namespace kette {

/// The measured peak rates of the device; 0: not measured.
struct MachineLimits {
  double gflops = 0;         ///< of matrix products
  double gb_per_second = 0;  ///< of memory

  /// The least time for some work: FLOPs or bytes at the peak rate, whichever takes longer.
  double least_seconds(double flops, double bytes) const;
};

/// The sum over slices of one kind. Time excludes the slices within each, so that the rows sum to the step.
struct TraceRow {
  std::string name;
  std::int64_t calls = 0;
  double seconds = 0;
  double flops = 0, bytes = 0;
  double least_seconds = 0;  ///< MachineLimits::least_seconds()

  double gflops() const { return seconds > 0 ? flops / seconds * 1e-9 : 0; }
  double gb_per_second() const { return seconds > 0 ? bytes / seconds * 1e-9 : 0; }
  /// The share of the machine's limit. May be above 1 if the data are in a cache.
  double limit_share() const { return seconds > 0 ? least_seconds / seconds : 0; }
  void add(const Slice& slice, const MachineLimits& limits);
};

/// "linear", "linear backward", "clear_gradients"; "(forward)" for a phase.
std::string title_of(const Slice& slice);
/// By title_of(), the longest first.
std::vector<TraceRow> rows_by_op(const StepTrace& trace, const MachineLimits& limits);
/// By the first `parts` parts of the scope, 0: all; the longest first. Slices without a scope count under their phase,
/// "(update)".
std::vector<TraceRow> rows_by_scope(const StepTrace& trace, const MachineLimits& limits,
                                    std::int64_t parts);

/// "f32 [17, 512], f32 [512]"
std::string list_of(const std::vector<TensorInfo>& tensors);

}  // namespace kette

#include "inspect/steps/trace_summary.h"

#include <algorithm>
#include <functional>
#include <map>

#include "inspect/steps/scope_finder.h"
#include "tensor/suggestion.h"

namespace kette {
namespace {

std::vector<TraceRow> summed(const StepTrace& trace, const MachineLimits& limits,
                             const std::function<std::string(const Slice&)>& name) {
  std::map<std::string, TraceRow> by_name;
  for (const Slice& slice : trace.slices) by_name[name(slice)].add(slice, limits);
  std::vector<TraceRow> result;
  for (auto& [key, row] : by_name) {
    row.name = key;
    result.push_back(std::move(row));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const TraceRow& a, const TraceRow& b) { return a.seconds > b.seconds; });
  return result;
}

}  // namespace

double MachineLimits::least_seconds(double flops, double bytes) const {
  return 1e-9 *
         std::max(gflops > 0 ? flops / gflops : 0, gb_per_second > 0 ? bytes / gb_per_second : 0);
}

void TraceRow::add(const Slice& slice, const MachineLimits& limits) {
  ++calls;
  seconds += 1e-9 * static_cast<double>(slice.own_nanoseconds());
  // What takes less has moved nothing: such as a sum whose backward hands its gradient on.
  constexpr std::int64_t kShortestWork = 1000;
  if (slice.own_nanoseconds() < kShortestWork) return;
  flops += slice.flops;
  bytes += slice.bytes;
  least_seconds += limits.least_seconds(slice.flops, slice.bytes);
}

std::string title_of(const Slice& slice) {
  if (slice.kind == Slice::Kind::phase) return "(" + slice.name + ")";
  return slice.name + (slice.kind == Slice::Kind::backward ? " backward" : "");
}

std::vector<TraceRow> rows_by_op(const StepTrace& trace, const MachineLimits& limits) {
  return summed(trace, limits, title_of);
}

std::vector<TraceRow> rows_by_scope(const StepTrace& trace, const MachineLimits& limits,
                                    std::int64_t parts) {
  return summed(trace, limits, [&](const Slice& slice) {
    if (!slice.scope.empty()) return folded(slice.scope, parts);
    const Slice* phase = &slice;
    while (phase->kind != Slice::Kind::phase && phase->parent >= 0) {
      phase = &trace.slices[phase->parent];
    }
    return "(" + phase->name + ")";
  });
}

std::string list_of(const std::vector<TensorInfo>& tensors) {
  return joined(tensors, [](const TensorInfo& tensor) { return tensor.str(); });
}

}  // namespace kette

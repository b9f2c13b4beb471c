// A step in the trace-event format of Chrome (about:tracing, ui.perfetto.dev): slices that lie in each other, a
// counter of the memory in use, and an arrow from each op to its backward.
#pragma once

#include <string>

#include "inspect/steps/trace_summary.h"

namespace kette {

/// What a file of a trace begins with.
inline constexpr const char* kChromeTraceStart = "{\"displayTimeUnit\":\"ms\"";

/// title: what was done, for the header. limits: what rates are held against.
std::string chrome_trace(const StepTrace& trace, const std::string& title,
                         const MachineLimits& limits = {});

}  // namespace kette

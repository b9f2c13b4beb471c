// A step in Chrome's trace-event format (about:tracing, ui.perfetto.dev): nested slices, a counter of the memory in
// use, and an arrow from each op to its backward.
#pragma once

#include <string>

#include "inspect/steps/trace_summary.h"

namespace kette {

/// The beginning of every trace file.
inline constexpr const char* kChromeTraceStart = "{\"displayTimeUnit\":\"ms\"";

/// title: for the header. limits: rates are given as shares of them.
std::string chrome_trace(const StepTrace& trace, const std::string& title,
                         const MachineLimits& limits = {});

}  // namespace kette

// A traced step as tables, as JSON and as a page with a timeline to zoom into and memory over it.
#pragma once

#include "inspect/report/report.h"
#include "inspect/steps/trace_summary.h"

namespace kette {

struct TracedStep {
  std::string what;  ///< "a training step of tiny"
  std::string precision;
  int threads = 1;
  MachineLimits limits;
  bool shows_limits = false;  ///< in the text
  std::int64_t parts = 2;     ///< of a scope that make a row, 0: all of it
  std::int64_t rows = 12;     ///< of a table of the text; the rest is one more
};
/// The trace has to live as long as the report.
Report to_report(const StepTrace& trace, const TracedStep& step);

}  // namespace kette

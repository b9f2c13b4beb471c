// The report of a traced step: tables, JSON and a page with a timeline and the memory in use.
#pragma once

#include "inspect/report/report.h"
#include "inspect/steps/trace_summary.h"

namespace kette {

struct TracedStep {
  std::string what;  ///< "a training step of tiny"
  std::string precision;
  int threads = 1;
  MachineLimits limits;
  bool shows_limits = false;  ///< whether the text compares with them
  std::int64_t parts = 2;     ///< the parts of a scope that make a row, 0: all
  std::int64_t rows = 12;     ///< rows of a table in the text; one more row sums the rest
};
/// The trace must outlive the report.
Report to_report(const StepTrace& trace, const TracedStep& step);

}  // namespace kette

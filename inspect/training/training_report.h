// Training runs side by side: what they reached, how loss and score went, and what was recorded of the models on the
// way.
#pragma once

#include "inspect/report/report.h"
#include "inspect/training/run_summary.h"

namespace kette {

/// The runs have to live as long as the report.
Report to_report(const std::vector<PlottedRun>& runs);

}  // namespace kette

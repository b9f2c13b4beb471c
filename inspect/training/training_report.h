// Compares training runs: results, curves of loss and score, and the records of TrainingRecorder.
#pragma once

#include "inspect/report/report.h"
#include "inspect/training/run_summary.h"

namespace kette {

/// The runs must outlive the report.
Report to_report(const std::vector<PlottedRun>& runs);

}  // namespace kette

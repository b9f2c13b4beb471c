// Sections of a report for the record of a TrainingRecorder: the development of the heads, the norms and effective
// dimensions of the residual stream, and the logit lens.
#pragma once

#include "inspect/report/report.h"
#include "inspect/training/run_summary.h"

namespace kette {

/// Adds a chart over the training steps. All such charts zoom together. Adds nothing without curves.
void add_step_chart(std::vector<Chart>& charts, const std::string& title, const std::string& unit,
                    std::vector<Curve> curves, bool log_y = false);

/// number: of the run in the report, for colours and scales. with_name: whether headings have the run's name.
void add_record_sections(Report& report, const PlottedRun& run, int number, bool with_name);

}  // namespace kette

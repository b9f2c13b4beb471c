// What a TrainingRecorder saw, as parts of a report: when each head became what it is, how long and how wide
// the residual stream is, where the prediction arises.
#pragma once

#include "inspect/report/report.h"
#include "inspect/training/run_summary.h"

namespace kette {

/// Adds a chart over the training steps, zoomed together with all such charts; none without curves.
void add_step_chart(std::vector<Chart>& charts, const std::string& title, const std::string& unit,
                    std::vector<Curve> curves, bool log_y = false);

/// number: of the run among those of the report, which colours and scales go by. with_name: whether the headings
/// say which run it is.
void add_record_sections(Report& report, const PlottedRun& run, int number, bool with_name);

}  // namespace kette

// What a TrainingRecorder saw, as parts of a page: when each head became what it is, how long and how wide
// the residual stream is, where the prediction arises.
#pragma once

#include "inspect/page/page.h"
#include "inspect/training/run_summary.h"

namespace kette {

/// A chart over the training steps, zoomed together with all such charts; empty without curves.
std::string step_chart(Page& page, const std::string& title, const std::string& unit,
                       std::vector<Curve> curves, bool log_y = false);

/// number: of the run among those of the page, which colours and scales go by. with_name: whether the headings
/// say which run it is.
void add_record_sections(Page& page, const PlottedRun& run, int number, bool with_name);

}  // namespace kette

// An explanation as tables, as JSON and as a page with everything there is to see.
#pragma once

#include "inspect/passes/explanation.h"
#include "inspect/report/report.h"

namespace kette {

/// with_maps: JSON has the numbers of all attention maps, too. The explanation has to live as long as the report.
Report to_report(const Explanation& explanation, bool with_maps = false);

}  // namespace kette

// The report of an explanation: tables, JSON and a page.
#pragma once

#include "inspect/passes/explanation.h"
#include "inspect/report/report.h"

namespace kette {

/// with_maps: whether JSON includes all attention maps. The explanation must outlive the report.
Report to_report(const Explanation& explanation, bool with_maps = false);

}  // namespace kette

// A traced step as a page: a timeline to zoom into, memory over it, and what its ops and places add up to.
#pragma once

#include "inspect/steps/trace_summary.h"

namespace kette {

/// title: what was traced; lead: on what. parts: of a scope that make a row, 0: all of it.
std::string trace_page(const StepTrace& trace, const MachineLimits& limits, std::int64_t parts,
                       const std::string& title, const std::string& lead);

}  // namespace kette

// Training runs as a page: how loss and score went, and what was recorded of the models on the way.
#pragma once

#include <string>
#include <vector>

#include "inspect/training/run_summary.h"

namespace kette {

std::string training_page(const std::vector<PlottedRun>& runs, const std::string& title,
                          const std::string& lead);

}  // namespace kette

// An explanation as one offline page.
#pragma once

#include <string>

#include "inspect/passes/explanation.h"

namespace kette {

/// title: what was explained. lead: of what model, by which command.
std::string explanation_page(const Explanation& explanation, const std::string& title,
                             const std::string& lead);

}  // namespace kette

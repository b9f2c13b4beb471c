// The tape of a step as a page: its nodes in the places of the model that made them, each with what it took, gave
// and kept, and the command that checks its gradient.
#pragma once

#include <functional>

#include "inspect/steps/tape_listing.h"

namespace kette {

/// check: the command line that checks the gradient of a node.
std::string tape_page(const TapeListing& tape, const std::string& title, const std::string& lead,
                      const std::function<std::string(std::int64_t node)>& check);

}  // namespace kette

// The nodes of a tape as part of a page, in a tree of scopes. Each node has its inputs, outputs and kept memory, and
// the command that checks its gradient.
#pragma once

#include <functional>
#include <string>

#include "inspect/steps/tape_listing.h"

namespace kette {

/// check: the command line that checks the gradient of a node.
std::string tape_tree(const TapeListing& tape,
                      const std::function<std::string(std::int64_t node)>& check);

}  // namespace kette

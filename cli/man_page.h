// Man pages of the program and of its commands.
#pragma once

#include <string>

#include "cli/option_tree.h"

namespace kette::cli {

/// "kette-bench-train.1"
std::string man_page_name(const CommandDescription& command);
/// In roff, with the macros of man(7); ASCII.
std::string man_page(const CommandDescription& command);

}  // namespace kette::cli

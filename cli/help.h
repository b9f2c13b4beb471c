// What --help prints.
#pragma once

#include <cstddef>
#include <string>

#include "cli/option_tree.h"

namespace kette::cli {

/// "kette train --out DIR [OPTIONS]": what has to be given, as --help and man pages show it.
std::string usage_of(const CommandDescription& command);

/// What the command is for, examples, and its options: those that one needs, or all; in lines of at most `width` characters where words allow it.
std::string help_text(const CommandDescription& command, std::size_t width, bool all = false);

/// The characters of a line: $COLUMNS, or those of the terminal that is stdout, at least 60; 100 where it is none.
std::size_t width_of_help();

}  // namespace kette::cli

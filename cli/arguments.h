// The command line before it is parsed: names are checked, so that a mistyped command or option is
// answered with the nearest one, and the entries of --config FILE take their place before the
// arguments that override them.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"

namespace kette::cli {

/// The arguments with every `--name value` as `--name=value`. Throws UsageError for unknown
/// commands, options and keys.
std::vector<std::string> prepare_arguments(CLI::App& program,
                                           const std::vector<std::string>& arguments);

}  // namespace kette::cli

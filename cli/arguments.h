// The command line before it is parsed: names are checked, so that a mistyped command or option is
// answered with the nearest one, and the entries of --config FILE take their place before the
// arguments that override them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/config_file.h"
#include "cli/options.h"

namespace kette::cli {

struct PreparedArguments {
  std::vector<std::string> arguments;          ///< with every `--name value` as `--name=value`
  std::map<std::string, std::string> origins;  ///< of "--name", where a file gave it: "run.toml:3"
};

/// Throws UsageError for unknown commands, options and keys.
PreparedArguments prepare_arguments(CLI::App& program, const std::vector<std::string>& arguments);
/// The entries of a file as arguments of a command.
PreparedArguments arguments_of(const CLI::App& command, const std::vector<ConfigEntry>& entries);

/// Parses and runs. Throws UsageError, which names file and line of what a file gave, and what the program throws;
/// CLI::Success for --help and --version.
void parse(CLI::App& program, PreparedArguments prepared);

}  // namespace kette::cli

// Prepares the command line for parsing. Checks the names of commands and options, to suggest the nearest
// one for a typo. Inserts the entries of --config FILE before the arguments, which override them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/config_file.h"
#include "cli/options.h"

namespace kette::cli {

struct PreparedArguments {
  std::vector<std::string> arguments;          ///< every `--name value` as `--name=value`
  std::map<std::string, std::string> origins;  ///< by "--name" from a file: "run.toml:3"
};

/// Throws a UsageError for unknown commands, options and keys.
PreparedArguments prepare_arguments(CLI::App& program, const std::vector<std::string>& arguments);
/// The entries of a file as arguments of a command.
PreparedArguments arguments_of(const CLI::App& command, const std::vector<ConfigEntry>& entries);

/// Parses the arguments and runs the command. Throws a UsageError, with file and line if a file gave the value;
/// CLI::Success for --help and --version; and whatever the command throws.
void parse(CLI::App& program, PreparedArguments prepared);

}  // namespace kette::cli

// Options from a TOML file, with one `key = value` per option. The key is the option's name without dashes.
//   # comments
//   src = "train.en"
//   steps = 2_000
//   ref = ["a.de", "b.de"]
// A file is for one command, so tables ([headers]) are not allowed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/toml_tables.h"

namespace kette::cli {

/// Throws a UsageError with name and place of what is not understood. name: of the file.
std::vector<ConfigEntry> parse_config(const std::string& text, const std::string& name);
std::vector<ConfigEntry> read_config_file(const std::filesystem::path& path);

/// The current values of a command's options by group, for read_config_file(). Excludes options in `omit`
/// and those that are not set.
std::string config_text(CLI::App& command, const std::vector<std::string>& omit);

}  // namespace kette::cli

// Options in a file, as TOML: one `key = value` for each, where the key is an option's name without the dashes.
//   # comments
//   src = "train.en"
//   steps = 2_000
//   ref = ["a.de", "b.de"]
// Tables ([headers]) are not part of it: a file is for one command.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/toml_tables.h"

namespace kette::cli {

/// Throws UsageError with the name and the place of what is not understood.
std::vector<ConfigEntry> parse_config(const std::string& text, const std::string& name);
std::vector<ConfigEntry> read_config_file(const std::filesystem::path& path);

/// The current values of a command's options, by groups, for read_config_file(). Options named in
/// `omit` and those that are not set stay out.
std::string config_text(CLI::App& command, const std::vector<std::string>& omit);

}  // namespace kette::cli

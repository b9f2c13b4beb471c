#include "cli/config_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/common.h"
#include "data/files/utf8.h"
#include "data/files/visible_text.h"
#include "tensor/suggestion.h"

namespace kette::cli {
namespace {

std::string list_of(const std::vector<std::string>& values) {
  return values.empty() ? "" : "[" + joined(values, quoted) + "]";
}

bool is_bare(const std::string& text) {
  const bool is_word = text.find_first_not_of("+-0123456789.e") != std::string::npos;
  return (text == "true" || text == "false" || !is_word) && is_bare_value(text);
}

std::string current_value(CLI::Option& option) {
  const std::string value = option.capture_default_str()->get_default_str();
  return value.empty() || is_bare(value) ? value : quoted(value);
}

std::vector<ConfigEntry> entries_of(const TextLines& lines, const std::string& name) {
  std::vector<ConfigTable> tables = parse_tables(lines, name);
  if (tables.size() > 1) {
    throw UsageError(tables[1].origin +
                     ": expected keys alone, for the file is for one command, given the table [" +
                     tables[1].name + "]");
  }
  return std::move(tables.front().entries);
}

}  // namespace

std::vector<ConfigEntry> parse_config(const std::string& text, const std::string& name) {
  return entries_of(TextLines(text, name), name);
}

std::vector<ConfigEntry> read_config_file(const std::filesystem::path& path) {
  return entries_of(read_lines(path, kWholeText), path.string());
}

std::string config_text(CLI::App& command, const std::vector<std::string>& omit) {
  std::string text, group;
  for (CLI::Option* option : command.get_options()) {
    if (option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames().front();
    if (std::find(omit.begin(), omit.end(), name) != omit.end()) continue;
    const bool is_list = option->get_items_expected_max() > 1;
    const std::string value = is_list ? list_of(option->results()) : current_value(*option);
    if (value.empty()) continue;
    if (option->get_group() != group) {
      group = option->get_group();
      text += (text.empty() ? "# " : "\n# ") + group + "\n";
    }
    if (first_invalid_utf8(value) != std::string::npos) {  // a path, which may be any bytes
      text += "# " + name + " is " + visible(value) +
              ", which TOML cannot hold: give it beside this file\n";
      continue;
    }
    text += name + " = " + value + "\n";
  }
  return text;
}

}  // namespace kette::cli

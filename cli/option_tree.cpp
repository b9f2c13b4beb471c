#include "cli/option_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "cli/commands/commands.h"

namespace kette::cli {
namespace {

using Kind = OptionDescription::Kind;

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream all(text);
  for (std::string word; std::getline(all, word, '|');) words.push_back(word);
  return words;
}

Kind kind_of(const CLI::Option& option, const std::string& type) {
  if (option.get_items_expected_max() == 0) return Kind::flag;
  if (type.find('|') != std::string::npos) return Kind::choice;
  if (type == "N") return Kind::whole;
  if (type == "X") return Kind::number;
  return type == "FILE" || type == "DIR" || type == "PATH" ? Kind::path : Kind::text;
}

OptionDescription description_of(const CLI::Option& option) {
  OptionDescription found;
  const std::vector<std::string>&names = option.get_lnames(), &opposites = option.get_fnames();
  const auto is_opposite = [&](const std::string& name) {
    return std::find(opposites.begin(), opposites.end(), name) != opposites.end();
  };
  found.name = option.get_name();
  for (const std::string& name : names) {
    if (is_opposite(name)) found.opposite = "--" + name;
  }
  found.group = option.get_group();
  found.help = option.get_description();
  found.kind = kind_of(option, option.get_type_name());
  if (found.kind != Kind::flag) found.type = option.get_type_name();
  if (found.kind == Kind::choice) found.words = split_words(found.type);
  found.initial = option.get_default_str();
  found.is_list = option.get_multi_option_policy() != CLI::MultiOptionPolicy::TakeLast &&
                  found.kind != Kind::flag;
  found.is_required = option.get_required();
  return found;
}

void add(const CLI::App& command, std::vector<std::string> words,
         std::vector<CommandDescription>& all) {
  const auto parts = command.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* part : parts) {
    std::vector<std::string> of_part = words;
    of_part.push_back(part->get_name());
    add(*part, of_part, all);
  }
  if (!parts.empty()) return;
  CommandDescription found{std::move(words), command.get_description(), {}};
  for (const CLI::Option* option : command.get_options()) {
    if (option != command.get_help_ptr()) found.options.push_back(description_of(*option));
  }
  all.push_back(std::move(found));
}

}  // namespace

std::vector<CommandDescription> described_commands() {
  std::vector<CommandDescription> all;
  for (const Command* one : commands()) {
    CLI::App program("", "kette");
    CLI::App& command = add_command(program, one->name, one->help);
    one->add_options(command);
    add(command, {one->name}, all);
  }
  return all;
}

}  // namespace kette::cli

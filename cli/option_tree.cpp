#include "cli/option_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>

#include "cli/commands/commands.h"
#include "cli/help.h"
#include "cli/host.h"
#include "cli/processes.h"
#include "cli/version.h"
#include "tensor/suggestion.h"

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

std::vector<const CLI::App*> parts_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

OptionDescription option_of(const CLI::Option& option) {
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
  const std::string type = option.get_type_name();
  if (found.kind != Kind::flag || type.starts_with('[')) found.type = type;
  if (found.kind == Kind::choice) found.words = split_words(found.type);
  found.initial = option.get_default_str();
  found.is_list = option.get_multi_option_policy() != CLI::MultiOptionPolicy::TakeLast &&
                  found.kind != Kind::flag;
  found.is_required = option.get_required();
  return found;
}

std::vector<std::string> words_of(const CLI::App& command) {
  if (command.get_parent() == nullptr) return {};
  std::vector<std::string> words = words_of(*command.get_parent());
  words.push_back(command.get_name());
  return words;
}

class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* command, std::string /*name*/,
                        CLI::AppFormatMode mode) const override {
    return help_text(description_of(*command), width_of_help(), mode == CLI::AppFormatMode::All);
  }
};

void add(const CLI::App& command, std::vector<CommandDescription>& all) {
  all.push_back(description_of(command));
  for (const CLI::App* part : parts_of(command)) add(*part, all);
}

}  // namespace

std::string CommandDescription::name() const {
  return words.empty() ? "kette" : "kette " + joined(words, " ");
}

std::vector<const OptionDescription*> CommandDescription::shown_options() const {
  std::vector<const OptionDescription*> shown;
  for (const OptionDescription& option : options) shown.push_back(&option);
  std::stable_partition(shown.begin(), shown.end(),
                        [](const OptionDescription* option) { return option->has_place(); });
  return shown;
}

CommandDescription description_of(const CLI::App& command) {
  CommandDescription found{words_of(command), command.get_description(), {}};
  for (const CLI::App* part : parts_of(command)) {
    found.parts.emplace_back(part->get_name(), part->get_description());
  }
  for (const CLI::Option* option : command.get_options()) {
    const bool is_help = option == command.get_help_ptr() || option == command.get_help_all_ptr();
    if (!is_help) found.options.push_back(option_of(*option));
  }
  return found;
}

std::shared_ptr<CLI::App> make_program(const std::function<bool(const std::string&)>& is_wanted) {
  auto program = std::make_shared<CLI::App>(
      "Kette trains and runs Transformers (translation, parsing, GPT, BERT) on automatic differentiation written from scratch.",
      "kette");
  program->formatter(std::make_shared<HelpFormatter>());
  program->set_version_flag("--version", "kette " + full_version(),
                            "Print the version and the commit, and exit");
  program->set_help_all_flag("--help-all", "Print all options and exit");
  require_command(*program);
  for (const Command* one : commands()) {
    CLI::App& command = add_command(*program, one->name, one->help);
    if (!is_wanted(one->name)) continue;
    one->add_options(command);
    if (one->is_shared_out && Host::current() == nullptr) add_process_options(command);
  }
  return program;
}

CommandDescription described_command(const std::vector<std::string>& words) {
  const std::shared_ptr<CLI::App> program = make_program(
      [&](const std::string& name) { return !words.empty() && name == words.front(); });
  const CLI::App* found = program.get();
  for (const std::string& word : words) {
    const std::vector<const CLI::App*> parts = parts_of(*found);
    const auto part = std::find_if(parts.begin(), parts.end(),
                                   [&](const CLI::App* one) { return one->get_name() == word; });
    if (part == parts.end()) {
      const auto name = [](const CLI::App* one) { return one->get_name(); };
      std::vector<std::string> names;
      std::transform(parts.begin(), parts.end(), std::back_inserter(names), name);
      throw UsageError("unknown command " + word + did_you_mean(word, names) + "; " +
                       description_of(*found).name() + " --help lists them all");
    }
    found = *part;
  }
  return description_of(*found);
}

std::vector<CommandDescription> described_commands() {
  std::vector<CommandDescription> all;
  add(*make_program([](const std::string&) { return true; }), all);
  return all;
}

}  // namespace kette::cli

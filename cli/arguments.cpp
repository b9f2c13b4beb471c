#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <set>

#include "cli/config_file.h"
#include "tensor/suggestion.h"

namespace kette::cli {
namespace {

std::vector<std::string> option_names(const CLI::App& command, const std::string& dashes) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(dashes + name);
  }
  return names;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

/// Options of a command whose own spelling starts the argument: "--steps", "--steps=3", "-h".
CLI::Option& known_option(CLI::App& command, const std::string& name) {
  if (CLI::Option* option = command.get_option_no_throw(name)) return *option;
  throw UsageError("unknown option " + name + did_you_mean(name, option_names(command, "--")) +
                   "; " + full_name(command) + " --help lists them all");
}

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

/// What the options of a command line look like to CLI11, and which of them are there.
struct Given {
  std::vector<std::string> arguments;
  std::set<const CLI::Option*> options;
  std::string config;
};

Given read_options(CLI::App& command, const std::vector<std::string>& arguments,
                   std::size_t begin) {
  Given given;
  for (std::size_t i = begin; i < arguments.size(); ++i) {
    std::string argument = arguments[i];
    if (argument == "--") {
      given.arguments.insert(given.arguments.end(),
                             arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
      break;
    }
    const bool is_option = argument.size() > 1 && argument[0] == '-';
    if (is_option) {
      const std::string name = argument.substr(0, argument.find('='));
      const CLI::Option& option = known_option(command, name);
      given.options.insert(&option);
      if (!is_flag(option) && name == argument) {
        argument += "=" + (i + 1 < arguments.size() ? arguments[++i] : std::string());
      }
      if (!is_flag(option) && argument.size() == name.size() + 1) {
        throw UsageError(name + ": expected a value, given nothing");
      }
      if (name == "--config") given.config = argument.substr(name.size() + 1);
    }
    given.arguments.push_back(argument);
  }
  return given;
}

/// The entries of a configuration file as arguments, without those that the command line overrides.
std::vector<std::string> config_arguments(CLI::App& command, const Given& given) {
  std::vector<std::string> arguments;
  for (const ConfigEntry& entry : read_config_file(given.config)) {
    const std::string origin = given.config + ":" + std::to_string(entry.line) + ": ";
    const CLI::Option* option = command.get_option_no_throw("--" + entry.key);
    if (option == nullptr || entry.key == "config" || entry.key == "help") {
      throw UsageError(origin + "unknown key " + entry.key +
                       did_you_mean(entry.key, option_names(command, "")) +
                       "; the keys are the options of " + full_name(command) + " --help");
    }
    if (given.options.contains(option)) continue;
    for (const std::string& value : entry.values) {
      arguments.push_back("--" + entry.key + "=" + value);
    }
  }
  return arguments;
}

}  // namespace

std::vector<std::string> prepare_arguments(CLI::App& program,
                                           const std::vector<std::string>& arguments) {
  CLI::App* command = &program;
  std::vector<std::string> prepared;
  std::size_t next = 0;
  while (next < arguments.size() &&
         !command->get_subcommands([](CLI::App*) { return true; }).empty()) {
    const std::string& argument = arguments[next++];
    prepared.push_back(argument);
    if (argument.starts_with("-")) {
      known_option(*command, argument.substr(0, argument.find('=')));
      continue;
    }
    std::vector<std::string> names;
    CLI::App* chosen = nullptr;
    for (CLI::App* subcommand : command->get_subcommands([](CLI::App*) { return true; })) {
      names.push_back(subcommand->get_name());
      if (subcommand->get_name() == argument) chosen = subcommand;
    }
    if (chosen == nullptr) {
      throw UsageError("unknown command " + argument + did_you_mean(argument, names) + "; " +
                       full_name(*command) + " --help lists them all");
    }
    command = chosen;
  }
  const Given given = read_options(*command, arguments, next);
  if (!given.config.empty()) {
    const std::vector<std::string> from_file = config_arguments(*command, given);
    prepared.insert(prepared.end(), from_file.begin(), from_file.end());
  }
  prepared.insert(prepared.end(), given.arguments.begin(), given.arguments.end());
  return prepared;
}

}  // namespace kette::cli

#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

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
bool takes_one_value(const CLI::Option& option) {
  return option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeLast;
}

/// An empty text is as good as none. CLI11 would take the next argument for it.
bool takes_no_text(const CLI::Option& option) { return option.get_type_name() == "TEXT"; }

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
      const bool is_again = !given.options.insert(&option).second;
      const bool has_value = name != argument || i + 1 < arguments.size();
      if (!is_flag(option) && name == argument) {
        argument += "=" + (has_value ? arguments[++i] : std::string());
      }
      if (!is_flag(option) && argument.size() == name.size() + 1) {
        if (has_value && takes_no_text(option)) continue;
        throw UsageError(name + ": expected a value, given nothing");
      }
      if (name == "--config") {
        if (is_again) throw UsageError("--config: expected one file, given another one beside it");
        given.config = argument.substr(name.size() + 1);
      }
    }
    given.arguments.push_back(argument);
  }
  return given;
}

}  // namespace

PreparedArguments prepare_arguments(CLI::App& program, const std::vector<std::string>& arguments) {
  CLI::App* command = &program;
  std::vector<std::string> words;
  std::size_t next = 0;
  while (next < arguments.size() &&
         !command->get_subcommands([](CLI::App*) { return true; }).empty()) {
    const std::string& argument = arguments[next++];
    words.push_back(argument);
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
  if (command != &program && !words.empty() && words.back() == command->get_name() &&
      next == arguments.size()) {
    const std::vector<CLI::App*> wanted = command->get_subcommands([](CLI::App*) { return true; });
    const auto name = [](const CLI::App* one) { return one->get_name(); };
    if (!wanted.empty()) {
      throw UsageError(full_name(*command) + ": expected one of " + joined(wanted, name) +
                       ", given none");
    }
  }
  const Given given = read_options(*command, arguments, next);
  PreparedArguments prepared;
  if (!given.config.empty()) {
    std::vector<ConfigEntry> entries = read_config_file(given.config);
    std::erase_if(entries, [&](const ConfigEntry& entry) {
      return given.options.contains(command->get_option_no_throw("--" + entry.key));
    });
    prepared = arguments_of(*command, entries);
  }
  prepared.arguments.insert(prepared.arguments.begin(), words.begin(), words.end());
  prepared.arguments.insert(prepared.arguments.end(), given.arguments.begin(),
                            given.arguments.end());
  return prepared;
}

PreparedArguments arguments_of(const CLI::App& command, const std::vector<ConfigEntry>& entries) {
  PreparedArguments prepared;
  for (const ConfigEntry& entry : entries) {
    const std::string name = "--" + entry.key;
    const CLI::Option* option = command.get_option_no_throw(name);
    if (option == nullptr || entry.key == "config" || entry.key == "help") {
      throw UsageError(entry.origin + ": unknown key " + entry.key +
                       did_you_mean(entry.key, option_names(command, "")) +
                       "; the keys are the options of " + full_name(command) + " --help");
    }
    if (takes_one_value(*option) && entry.values.size() != 1) {
      throw UsageError(entry.origin + ": " + name + ": expected one value, given " +
                       (entry.values.empty() ? "none" : "several: " + joined(entry.values)));
    }
    prepared.origins[name] = entry.origin;
    for (const std::string& value : entry.values) {
      if (value.empty() && takes_no_text(*option)) continue;
      if (value.empty()) {
        throw UsageError(entry.origin + ": " + name + ": expected a value, given nothing");
      }
      prepared.arguments.push_back(name + "=" + value);
    }
  }
  return prepared;
}

void parse(CLI::App& program, PreparedArguments prepared) {
  std::reverse(prepared.arguments.begin(),
               prepared.arguments.end());  // CLI11 takes them from the back
  const auto with_origin = [&](const std::string& message) {
    // "--beam: expected ...", and of CLI11 "--beam excludes --sample"
    const auto origin = prepared.origins.find(message.substr(0, message.find_first_of(": ")));
    return (origin == prepared.origins.end() ? "" : origin->second + ": ") + message;
  };
  try {
    program.parse(std::move(prepared.arguments));
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ExtrasError&) {
    throw UsageError("unexpected argument " + program.remaining(true).front());
  } catch (const CLI::ConversionError& error) {  // of flags: "Could not convert: --quiet = maybe"
    const std::string message = error.what();
    const std::size_t name = message.find("--"), value = message.find(" = ");
    if (value == std::string::npos) throw UsageError(message);
    throw UsageError(with_origin(message.substr(name, value - name) +
                                 ": expected true or false, given " + message.substr(value + 3)));
  } catch (const CLI::ParseError& error) {
    throw UsageError(with_origin(error.what()));
  } catch (const UsageError& error) {
    throw UsageError(with_origin(error.what()));
  }
}

}  // namespace kette::cli

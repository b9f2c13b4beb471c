#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "cli/synonyms.h"
#include "tensor/suggestion.h"
#include "train/training_state.h"

namespace kette::cli {
namespace {

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// " (did you mean --lr?)" or nothing. is_key: as a file of options writes it.
std::string hint(const std::string& name, const CLI::App& command, bool is_key = false) {
  std::string meant = meant_option(name, option_names(command));
  if (meant.empty()) return "";
  const std::size_t value = meant.find(' ');
  if (is_key && value != std::string::npos) meant.replace(value, 1, " = \"").append("\"");
  return " (did you mean " + meant.substr(is_key ? 2 : 0) + "?)";
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

/// What to do where an argument such as "- Milk" or "-5 degrees" is taken for an option, but may be a text.
std::string how_to_give_text(const CLI::App& command, const std::string& argument) {
  const bool is_text = argument.find(' ') != std::string::npos ||
                       std::isdigit(static_cast<unsigned char>(argument[1])) != 0;
  const std::vector<const CLI::Option*> options = command.get_options();
  const bool takes_text =
      std::any_of(options.begin(), options.end(),
                  [](const CLI::Option* option) { return option->get_positional(); });
  return is_text && takes_text ? " (a text that begins with - stands behind --, after all options)"
                               : "";
}

/// Options of a command whose own spelling starts the argument: "--steps", "--steps=3", "-h".
CLI::Option& known_option(CLI::App& command, const std::string& name) {
  if (CLI::Option* option = command.get_option_no_throw(name)) return *option;
  throw UsageError("unknown option " + name + hint(name, command) + "; " + full_name(command) +
                   " --help-all lists them all" + how_to_give_text(command, name));
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
  std::map<std::string, std::string> values;  ///< of "--name" the last one
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
      const auto [value, is_new] = given.values.insert_or_assign(option.get_name(), "");
      const bool has_value = name != argument || i + 1 < arguments.size();
      if (!is_flag(option) && name == argument) {
        argument += "=" + (has_value ? arguments[++i] : std::string());
      }
      if (argument == name + "=") {
        if (has_value && takes_no_text(option)) continue;
        throw UsageError(name + ": expected a value, given nothing");
      }
      if (name == "--config" && !is_new) {
        throw UsageError("--config: expected one file, given another one beside it");
      }
      if (name != argument) value->second = argument.substr(name.size() + 1);
    }
    given.arguments.push_back(argument);
  }
  return given;
}

/// The entries for a command that leaves these options to them: those of --config, and, where a run goes on, of the
/// configuration that it was begun with.
class Entries {
 public:
  Entries(const CLI::App& command, const Given& given) : command_(command), values_(given.values) {
    if (const std::string* file = value_of("--config")) add(read_config_file(*file));
    add_earlier_run();
  }

  const std::vector<ConfigEntry>& all() const { return entries_; }

 private:
  const std::string* value_of(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }
  /// "--output" has other names, too.
  std::string full_name(const ConfigEntry& entry) const {
    const CLI::Option* option = command_.get_option_no_throw("--" + entry.key);
    return option == nullptr ? "--" + entry.key : option->get_name();
  }
  void add(const std::vector<ConfigEntry>& more) {
    const std::size_t earlier = entries_.size();
    for (const ConfigEntry& entry : more) {
      if (value_of(full_name(entry)) == nullptr) entries_.push_back(entry);
    }
    for (std::size_t i = earlier; i < entries_.size(); ++i) {
      const ConfigEntry& entry = entries_[i];
      values_[full_name(entry)] = entry.values.empty() ? "" : entry.values.back();
    }
  }
  /// A preset says all that the earlier one did.
  void add_earlier_run() {
    const std::string *resume = value_of("--resume"), *out = value_of("--out");
    if (resume == nullptr || *resume == "false" || out == nullptr || value_of("--preset")) return;
    const std::filesystem::path folder = *out, file = folder / "config.toml";
    if (!std::filesystem::exists(file)) return;
    // A start that has trained nothing is no run that goes on.
    const std::optional<TrainingState> state = peek_training_state(folder / kTrainingState);
    if (!state || state->step == 0) return;
    std::vector<ConfigEntry> earlier = read_config_file(file);
    // One limit takes the place of all.
    const std::set<std::string> limits = {"steps", "epochs", "minutes"};
    if (std::any_of(limits.begin(), limits.end(),
                    [&](const std::string& limit) { return value_of("--" + limit) != nullptr; })) {
      std::erase_if(earlier, [&](const ConfigEntry& entry) { return limits.contains(entry.key); });
    }
    add(earlier);
  }

  const CLI::App& command_;
  std::map<std::string, std::string> values_;  // the last one of each
  std::vector<ConfigEntry> entries_;
};

/// Whether an argument stands behind --json, which takes no value that does not hang on it.
bool follows_json(const std::vector<std::string>& all, const std::string& argument) {
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i] == argument && all[i - 1] == "--json") return true;
  }
  return false;
}

/// " (The model directory to make)": what the option is that was not given, where a message begins with its name.
std::string help_of_missing(const CLI::App& program, const std::string& message) {
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  const CLI::Option* option = command->get_option_no_throw(message.substr(0, message.find(' ')));
  return option == nullptr ? "" : " (" + option->get_description() + ")";
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
  PreparedArguments prepared = arguments_of(*command, Entries(*command, given).all());
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
    if (option == nullptr || entry.key == "config" || entry.key == "help" ||
        entry.key == "help-all") {
      throw UsageError(entry.origin + ": unknown key " + entry.key + hint(name, command, true) +
                       "; the keys are the options of " + full_name(command) + " --help-all");
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
  const std::vector<std::string> all = prepared.arguments;
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
    const std::string rest = program.remaining(true).front();
    throw UsageError("unexpected argument " + rest +
                     (follows_json(all, rest) ? " (--json=" + rest + " writes to a file)" : ""));
  } catch (const CLI::ConversionError& error) {  // of flags: "Could not convert: --quiet = maybe"
    const std::string message = error.what();
    const std::size_t name = message.find("--"), value = message.find(" = ");
    if (value == std::string::npos) throw UsageError(message);
    throw UsageError(with_origin(message.substr(name, value - name) +
                                 ": expected true or false, given " + message.substr(value + 3)));
  } catch (const CLI::RequiredError& error) {
    throw UsageError(error.what() + help_of_missing(program, error.what()));
  } catch (const CLI::ParseError& error) {
    throw UsageError(with_origin(error.what()));
  } catch (const UsageError& error) {
    throw UsageError(with_origin(error.what()));
  }
}

}  // namespace kette::cli

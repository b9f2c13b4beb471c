// The commands and their options as data, for what is made of them: help, functions of Python, man pages, completion.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"

namespace kette::cli {

struct OptionDescription {
  enum class Kind : std::uint8_t { flag, whole, number, text, path, choice };

  std::string name;      ///< "--beam"; "SENTENCE" of one that is told by its place
  std::string opposite;  ///< "--no-unknown" of a flag that can be switched off; else ""
  std::string group, help;
  std::string type;     ///< what --help writes for a value: "N", "DIR"; "[=FILE]"; "" of a flag
  std::string initial;  ///< its value where it is not given; "" for none, or one that is made then
  Kind kind = Kind::text;
  std::vector<std::string> words;  ///< of a choice
  bool is_list = false, is_required = false;

  bool has_place() const { return !name.starts_with("-"); }
  /// Of its group in --help and man pages.
  std::string title() const { return has_place() ? "Arguments" : group; }
  /// "--echo,--no-echo"
  std::string spelling() const { return opposite.empty() ? name : name + "," + opposite; }
  /// Whether `initial` is to be shown: not of a flag, nor beside a help that has a default of its own.
  bool shows_initial() const {
    return kind != Kind::flag && !initial.empty() && help.find("default:") == std::string::npos;
  }
};

struct CommandDescription {
  std::vector<std::string> words;  ///< {"bench", "train"}; {}: the program
  std::string help;
  std::vector<OptionDescription> options;  ///< in the order of --help
  std::vector<std::pair<std::string, std::string>>
      parts{};  ///< its own commands, each with its help

  /// "kette bench train"
  std::string name() const;
  /// Its options as --help and man pages show them: first those that are told by their place.
  std::vector<const OptionDescription*> shown_options() const;
};

CommandDescription description_of(const CLI::App& command);

/// The program with all commands, and with the options of those that are wanted: those of all take longer than many a
/// command.
std::shared_ptr<CLI::App> make_program(const std::function<bool(const std::string&)>& is_wanted);

/// The one with these words, {"bench", "train"}; none: the program. Throws a UsageError where there is none.
CommandDescription described_command(const std::vector<std::string>& words);

/// The program, the commands in the order of --help, and behind a command that has commands those.
std::vector<CommandDescription> described_commands();

}  // namespace kette::cli

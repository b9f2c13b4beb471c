// The commands and their options as data, for what is made of them: functions of Python, documentation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kette::cli {

struct OptionDescription {
  enum class Kind : std::uint8_t { flag, whole, number, text, path, choice };

  std::string name;      ///< "--beam"; "SENTENCE" of one that is told by its place
  std::string opposite;  ///< "--no-unknown" of a flag that can be switched off; else ""
  std::string group, help;
  std::string type;     ///< what --help writes for a value: "N", "DIR"; "" of a flag
  std::string initial;  ///< its value where it is not given; "" for none, or one that is made then
  Kind kind = Kind::text;
  std::vector<std::string> words;  ///< of a choice
  bool is_list = false, is_required = false;

  bool has_place() const { return !name.starts_with("-"); }
};

struct CommandDescription {
  std::vector<std::string> words;  ///< {"bench", "train"}
  std::string help;
  std::vector<OptionDescription> options;  ///< in the order of --help
};

/// In the order of --help; of a command that has commands, those.
std::vector<CommandDescription> described_commands();

}  // namespace kette::cli

#include "cli/completion.h"

#include <cstdint>
#include <map>

#include "cli/option_tree.h"
#include "tensor/suggestion.h"

namespace kette::cli {
namespace {

using Kind = OptionDescription::Kind;

/// What can stand for a value: words, names of files or of folders, the names of commands, or what no shell knows.
enum class Value : std::uint8_t { none, unknown, words, files, folders, commands };

/// As --json[=FILE] does.
bool takes_file_after_equals(const OptionDescription& option) {
  return option.type.starts_with('[');
}

Value value_of(const OptionDescription& option) {
  switch (option.kind) {
    case Kind::flag:
      return Value::none;
    case Kind::whole:
    case Kind::number:
      return Value::unknown;
    case Kind::choice:
      return Value::words;
    case Kind::path:
      return option.type == "DIR" ? Value::folders : Value::files;
    case Kind::text:
      break;
  }
  return option.name == "COMMAND" ? Value::commands : Value::files;
}

/// With --help, which no description has.
std::vector<OptionDescription> all_options_of(const CommandDescription& command) {
  std::vector<OptionDescription> all;
  for (const OptionDescription& option : command.options) {
    if (!option.has_place()) all.push_back(option);
  }
  for (const auto& [name, help] : {std::pair("--help", "Print the options that one needs"),
                                   std::pair("--help-all", "Print all options")}) {
    OptionDescription option;
    option.name = name;
    option.help = help;
    option.kind = Kind::flag;
    all.push_back(option);
  }
  return all;
}

std::string names_of_parts(const CommandDescription& command) {
  return joined(
      command.parts, [](const auto& part) { return part.first; }, " ");
}

/// What its first argument without a name is: a file, or one of these words. commands: those of the program.
struct Place {
  bool is_file = false;
  std::string words;
};
Place place_of(const CommandDescription& command, const std::string& commands) {
  for (const OptionDescription& option : command.options) {
    if (!option.has_place()) continue;
    const Value value = value_of(option);
    if (value == Value::commands) return {false, commands};
    if (value == Value::words) return {false, joined(option.words, " ")};
    return {value == Value::files || value == Value::folders, ""};
  }
  return {false, names_of_parts(command)};
}

std::vector<std::string> spellings(const OptionDescription& option) {
  if (option.opposite.empty()) return {option.name};
  return {option.name, option.opposite};
}

/// In single quotes.
std::string in_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string with_backslashes(const std::string& text, const std::string& before) {
  std::string result;
  for (const char c : text) {
    if (before.find(c) != std::string::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string bash_case(const CommandDescription& command, const std::string& commands) {
  std::map<Value, std::string> by_value;
  std::string all, lists, words, after_equals;
  for (const OptionDescription& option : all_options_of(command)) {
    all += (all.empty() ? "" : " ") + joined(spellings(option), " ");
    if (option.is_list) lists += option.name + " ";
    const Value value = value_of(option);
    by_value[value] += option.name + " ";
    if (takes_file_after_equals(option)) after_equals += option.name + " ";
    if (value == Value::words) {
      words += "        " + option.name + ") words='" + joined(option.words, " ") + "' ;;\n";
    }
  }
  const Place place = place_of(command, commands);
  std::string text = "    " + in_quotes(command.name()) + ")\n      options='" + all + "'\n";
  const auto set = [&](const char* name, const std::string& names) {
    if (!names.empty()) text += std::string("      ") + name + "=' " + names + "'\n";
  };
  set("lists", lists);
  set("files", by_value[Value::files]);
  set("folders", by_value[Value::folders]);
  set("after_equals", after_equals);
  set("unknown", by_value[Value::unknown]);
  const char* kind = command.parts.empty() ? "names" : "parts";
  if (!place.words.empty()) text += std::string("      ") + kind + "='" + place.words + "'\n";
  if (place.is_file) text += "      place=files\n";
  if (!words.empty()) text += "      case $option in\n" + words + "      esac\n";
  return text + "      ;;\n";
}

constexpr const char* kBashStart =
    R"(# Completion of kette for bash, made by `kette completion bash`.
_kette() {
  local path=kette at=1 option='' behind=0 equals='' helped='' word
  local current=${COMP_WORDS[COMP_CWORD]} options='' lists='' files='' after_equals='' folders='' unknown='' names='' parts='' place='' words=''
  if [[ ${COMP_WORDS[1]} == help && $COMP_CWORD -gt 2 ]]; then helped=1 at=2; fi
  while ((at < COMP_CWORD)) && [[ $_kette_paths == *"|$path ${COMP_WORDS[at]}|"* ]]; do
    path="$path ${COMP_WORDS[at++]}"
  done
  # The option before the cursor, and how many words are behind it; bash takes --name=value for three.
  for word in "${COMP_WORDS[@]:at:COMP_CWORD - at}"; do
    case $word in
      =) equals=1 ;;
      -*) option=$word behind=0 equals='' ;;
      *) ((behind++)) ;;
    esac
  done
  if [[ $current == = ]]; then current='' equals=1; fi
  case $path in
)";
constexpr const char* kBashEnd = R"(  esac
  # Behind help stand the names of a command alone.
  if [[ -n $helped ]]; then options='--all --help' names='' place='' words=''; fi
  if ((behind > 0)) && [[ $lists != *" $option "* ]]; then option='' words=''; fi
  COMPREPLY=()
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  elif [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  elif [[ -n $option && $folders == *" $option "* ]]; then
    compopt -o filenames 2> /dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
  elif [[ -n $option && $unknown == *" $option "* ]]; then
    return
  elif [[ -n $parts$names ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$parts$names" -- "$current")
  elif [[ $place == files || (-n $option && "$files${equals:+$after_equals}" == *" $option "*) ]]; then
    compopt -o filenames 2> /dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _kette kette
)";

std::string zsh_action(Value value, const OptionDescription& option, const std::string& commands) {
  switch (value) {
    case Value::words:
      return "(" + joined(option.words, " ") + ")";
    case Value::folders:
      return "_files -/";
    case Value::files:
      return "_files";
    case Value::commands:
      return "(" + commands + ")";
    default:
      return " ";
  }
}

std::string zsh_spec(const OptionDescription& option, const std::string& commands) {
  const Value value = value_of(option);
  const std::string help = "[" + with_backslashes(option.help, "[]\\") + "]",
                    message = option.kind == Kind::choice ? "value" : option.type,
                    action = zsh_action(value, option, commands);
  if (option.has_place()) {
    return in_quotes(std::string(option.is_list ? "*" : "") + ":" + option.name + ":" + action);
  }
  if (takes_file_after_equals(option))
    return in_quotes(option.name + "=-" + help + "::FILE:_files");
  if (value == Value::none) {
    std::string text;
    for (const std::string& name : spellings(option)) {
      text += (text.empty() ? "" : " ") + in_quotes(name + help);
    }
    return text;
  }
  const std::string several = option.is_list ? ":*-*" : "";
  return in_quotes((option.is_list ? "*" : "") + option.name + "=" + help + several + ":" +
                   with_backslashes(message, ":") + ":" + action);
}

/// The commands of a command, for _describe.
std::string zsh_parts(const CommandDescription& command) {
  std::string text = "    names=(\n";
  for (const auto& [name, help] : command.parts) {
    text += "      " + in_quotes(name + ":" + with_backslashes(help, ":\\")) + "\n";
  }
  return text + "    )\n    _describe -t commands command names\n";
}

std::string fish_value(const OptionDescription& option) {
  switch (value_of(option)) {
    case Value::none:
      return "";
    case Value::words:
      return " -x -a " + in_quotes(joined(option.words, " "));
    case Value::folders:
      return " -x -a '(__fish_complete_directories)'";
    case Value::files:
      return " -r -F";
    default:
      return " -x";
  }
}

}  // namespace

std::string bash_completion() {
  const std::vector<CommandDescription> all = described_commands();
  std::string paths = "|", cases;
  for (const CommandDescription& command : all) {
    paths += command.name() + "|";
    cases += bash_case(command, names_of_parts(all.front()));
  }
  return kBashStart + cases + kBashEnd + "_kette_paths='" + paths + "'\n";
}

std::string zsh_completion() {
  const std::vector<CommandDescription> all = described_commands();
  std::string text =
      "#compdef kette\n# Completion of kette for zsh, made by `kette completion zsh`.\n"
      "_kette() {\n  local -a names\n  local command=''\n";
  for (const CommandDescription& command : all) {
    if (command.parts.empty()) continue;
    const std::string words = joined(command.words, " ");
    text +=
        "  if [[ $command == " + in_quotes(words) + " ]]; then\n    if ((CURRENT == 2)); then\n";
    text += "    if [[ $words[2] == -* ]]; then _arguments";
    for (const OptionDescription& option : all_options_of(command)) {
      text += " " + zsh_spec(option, "");
    }
    text += "; return; fi\n" + zsh_parts(command) + "    return\n    fi\n    command=\"" + words +
            (words.empty() ? "" : " ") + "$words[2]\"\n    shift words\n    ((CURRENT--))\n  fi\n";
  }
  text += "  case $command in\n";
  for (const CommandDescription& command : all) {
    if (!command.parts.empty()) continue;
    text += "    " + in_quotes(joined(command.words, " ")) + ")\n      _arguments";
    std::vector<OptionDescription> options = all_options_of(command);
    for (const OptionDescription& option : command.options) {
      if (option.has_place()) options.push_back(option);
    }
    for (const OptionDescription& option : options) {
      text += " \\\n        " + zsh_spec(option, names_of_parts(all.front()));
    }
    text += "\n      ;;\n";
  }
  return text +
         "  esac\n}\nif [[ $funcstack[1] == _kette ]]; then _kette \"$@\"; else compdef _kette kette; fi\n";
}

std::string fish_completion() {
  const std::vector<CommandDescription> all = described_commands();
  std::string text =
      "# Completion of kette for fish, made by `kette completion fish`.\n"
      "# Whether the command line has these words behind its first one, and nothing else; and whether it begins so.\n"
      "function __kette_at\n"
      "    set -l words (commandline -opc)[2..-1]\n"
      "    test \"$words\" = \"$argv\"\n"
      "end\n"
      "function __kette_in\n"
      "    set -l words (commandline -opc)[2..-1]\n"
      "    string match -q -- \"$argv *\" \"$words \"\n"
      "end\n"
      "complete -c kette -f\n";
  for (const CommandDescription& command : all) {
    const std::string words = joined(command.words, " "),
                      start = std::string("complete -c kette -n '__kette_") +
                              (command.parts.empty() ? "in " : "at ") + words + "'";
    for (const auto& [name, help] : command.parts) {
      text += start + " -a " + name + " -d " + in_quotes(with_backslashes(help, "\\")) + "\n";
    }
    for (const OptionDescription& option : all_options_of(command)) {
      for (const std::string& name : spellings(option)) {
        text += start + " -l " + name.substr(2) + fish_value(option) + " -d " +
                in_quotes(with_backslashes(option.help, "\\")) + "\n";
      }
    }
    const Place place = place_of(command, names_of_parts(all.front()));
    if (command.parts.empty() && !place.words.empty()) {
      text += start + " -a " + in_quotes(place.words) + "\n";
    }
    if (place.is_file) text += start + " -F\n";
  }
  return text;
}

}  // namespace kette::cli

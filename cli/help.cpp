#include "cli/help.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "cli/guide.h"
#include "data/files/utf8.h"
#include "train/status_line.h"

namespace kette::cli {
namespace {

/// The pieces of a text that stay in one line each; a space goes with what is before it, as does "|" between choices. Of a
/// line for a shell, an option and its value are one.
std::vector<std::string> pieces_of(const std::string& text, bool is_shell) {
  std::vector<std::string> pieces(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (c == '"') is_quoted = !is_quoted;
    pieces.back() += c;
    const bool is_end = is_shell ? c == ' ' && (next == '-' || next == '>' || next == '|')
                                 : c == ' ' || (c == '|' && next != '|' && next != ' ');
    if (is_end && !is_quoted) pieces.emplace_back();
  }
  return pieces;
}

std::string without_end(const std::string& text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// Lines of at most `width` characters with `indent` spaces in front, of which the first stands where the text begins.
/// end: what each line but the last has at its end.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width,
                    const std::string& end = "") {
  std::string all, line;
  for (const std::string& piece : pieces_of(text, !end.empty())) {
    const std::size_t needed = indent + characters_in(line) + characters_in(without_end(piece));
    if (!line.empty() && needed + end.size() > width) {
      all += without_end(line) + end + "\n" + std::string(indent, ' ');
      line.clear();
    }
    line += piece;
  }
  return all + without_end(line);
}

/// A name, and from a column on what it is.
std::string entry(const std::string& name, const std::string& help, std::size_t width) {
  const std::size_t column = std::min<std::size_t>(38, width * 3 / 8);
  std::string text = "  " + wrapped(name, 4, width);
  const std::size_t end = characters_in(text.substr(text.rfind('\n') + 1));
  text += end + 2 <= column ? std::string(column - end, ' ') : "\n" + std::string(column, ' ');
  return text + wrapped(help, column, width) + "\n";
}

std::string label_of(const OptionDescription& option) {
  std::string label = option.spelling();
  if (!option.has_place() && !option.type.empty())
    label += (option.type.starts_with('[') ? "" : " ") + option.type;
  if (option.shows_initial()) label += "=" + option.initial;
  return label + (option.is_list ? " ..." : "");
}

std::string entry(const OptionDescription& option, std::size_t width) {
  return entry(label_of(option), option.help + (option.is_required ? " (required)" : ""), width);
}

}  // namespace

std::string usage_of(const CommandDescription& command) {
  std::string text = command.name();
  for (const OptionDescription& option : command.options) {
    if (option.has_place() || !option.is_required) continue;
    text += " " + option.name + " " + option.type + (option.is_list ? " ..." : "");
  }
  text += command.parts.empty() ? " [OPTIONS]" : " COMMAND";
  for (const OptionDescription& option : command.options) {
    if (!option.has_place()) continue;
    const std::string name = option.name + (option.is_list ? "..." : "");
    text += option.is_required ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string help_text(const CommandDescription& command, std::size_t width, bool all) {
  std::string text = wrapped(command.help, 0, width) + "\n\n";
  text += wrapped("Usage: " + usage_of(command), 4, width) + "\n";
  const std::vector<std::string> examples = examples_of(command.words);
  if (!examples.empty()) text += examples.size() > 1 ? "\nExamples:\n" : "\nExample:\n";
  for (const std::string& line : examples) text += "  " + wrapped(line, 6, width, " \\") + "\n";
  if (!command.parts.empty()) text += "\nCommands:\n";
  for (const auto& [name, help] : command.parts) text += entry(name, help, width);
  const std::string basic = " " + basic_options_of(command.words) + " ";
  const bool is_short = !all && basic.size() > 2;
  std::size_t left_out = 0;
  std::string group;
  for (const OptionDescription* option : command.shown_options()) {
    const bool is_basic = basic.find(" " + option->name + " ") != std::string::npos;
    if (is_short && !option->has_place() && !is_basic) {
      ++left_out;
      continue;
    }
    if (option->title() != group) text += "\n" + wrapped(option->title() + ":", 2, width) + "\n";
    group = option->title();
    text += entry(*option, width);
  }
  std::string more = "Any option can stand in a file: --config run.toml";
  if (!command.parts.empty()) more = command.name() + " COMMAND --help tells more.";
  if (is_short) {
    more = "There are " + std::to_string(left_out) + " more options: " + command.name() +
           " --help-all. " + more;
  }
  return text + "\n" + wrapped(more, 0, width) + "\n";
}

std::size_t width_of_help() {
  constexpr std::size_t kLeast = 60;
  std::size_t width = 100;
  const char* columns = std::getenv("COLUMNS");
  const char* end = columns == nullptr ? nullptr : columns + std::strlen(columns);
  std::size_t told = 0;
  if (columns != nullptr && std::from_chars(columns, end, told).ptr == end && told > 0) {
    width = told;
  } else if (const int shown = terminal_columns(STDOUT_FILENO); shown > 0) {
    width = static_cast<std::size_t>(shown);
  }
  return std::max(width, kLeast);
}

}  // namespace kette::cli

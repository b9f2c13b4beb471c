#include "cli/man_page.h"

#include <cstdio>
#include <sstream>

#include "cli/guide.h"
#include "cli/help.h"
#include "cli/version.h"
#include "data/files/utf8.h"
#include "tensor/suggestion.h"
#include "train/communicator.h"

namespace kette::cli {
namespace {

/// A text as roff writes it: what it would take for a sign of its own, or print as another one, is spelt out.
std::string roff(const std::string& text) {
  std::string written;
  for (std::size_t at = 0; at < text.size(); at += utf8_length(text[at])) {
    switch (text[at]) {
      case '\\':
        written += "\\e";
        break;
      case '-':
        written += "\\-";
        break;
      case '\'':
        written += "\\(aq";
        break;
      case '"':
        written += "\\(dq";
        break;
      case '`':
        written += "\\(ga";
        break;
      case '^':
        written += "\\(ha";
        break;
      case '~':
        written += "\\(ti";
        break;
      case '.':
        written += at == 0 ? "\\&." : ".";
        break;
      default:
        if (utf8_length(text[at]) == 1) {
          written += text[at];
        } else {
          char code[16];
          std::snprintf(code, sizeof code, "\\[u%04X]",
                        static_cast<unsigned>(utf8_character(text, at).code_point));
          written += code;
        }
    }
  }
  return written;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

std::string man_entry(const OptionDescription& option) {
  std::string text = ".TP\n" + (option.has_place() ? italic(option.name) : bold(option.name));
  if (!option.opposite.empty()) text += ", " + bold(option.opposite);
  constexpr std::size_t kLong = 40;  // which a line has no place to end in
  const bool is_long = !option.words.empty() && option.type.size() > kLong;
  if (!option.has_place() && !option.type.empty()) {
    text += option.type.starts_with('[') ? "" : " ";
    text += italic(is_long ? "WORD" : option.type);
  }
  std::string help = option.help;
  if (is_long) help += "; one of " + joined(option.words);
  if (option.is_required) help += " (required)";
  if (option.shows_initial()) help += " (default: " + option.initial + ")";
  return text + (option.is_list ? " ...\n" : "\n") + roff(help) + "\n";
}

std::string page_of(const CommandDescription& command) {
  return command.words.empty() ? "kette" : "kette-" + joined(command.words, "-");
}

/// The usage in the types of a manual: what is written as it stands, and what stands for something else.
std::string synopsis(const CommandDescription& command) {
  const std::string usage = usage_of(command), name = command.name();
  std::string text = bold(name);
  std::istringstream rest(usage.substr(name.size()));
  for (std::string word; rest >> word;) {
    const bool may_be_left_out = word.starts_with('[');
    if (may_be_left_out) word = word.substr(1, word.size() - 2);
    const std::string set = word.starts_with('-') ? bold(word)
                            : word == "..."       ? word
                                                  : italic(word);
    text += may_be_left_out ? " [" + set + "]" : " " + set;
  }
  return text;
}

/// What its exit codes say; work that several processes share has one more.
std::string exit_status(const CommandDescription& command) {
  std::string text = exit_status_of(command.words);
  for (const OptionDescription& option : command.options) {
    if (option.name != "--wait-limit") continue;
    text += " " + std::to_string(Communicator::kLostCode) +
            ": a process was not heard of for longer than --wait-limit.";
  }
  return text;
}

std::string option_entries(const CommandDescription& command) {
  std::string text, group;
  for (const OptionDescription* option : command.shown_options()) {
    if (option->title() != group) text += ".SS \"" + roff(option->title()) + "\"\n";
    group = option->title();
    text += man_entry(*option);
  }
  return text + ".SS Help\n.TP\n" + bold("--help") + ", " + bold("-h") +
         "\nPrint the options that one needs and exit\n.TP\n" + bold("--help-all") +
         "\nPrint all options and exit\n";
}

}  // namespace

std::string man_page_name(const CommandDescription& command) { return page_of(command) + ".1"; }

std::string man_page(const CommandDescription& command) {
  const std::string page = page_of(command), name = "Kette ", whole = full_version();
  const std::string version = whole.substr(0, whole.find(' '));  // so that a commit changes no page
  const std::string help =
      command.help.starts_with(name) ? command.help.substr(name.size()) : command.help;
  std::string text = ".TH \"" + upper_ascii(page) + "\" 1 \"\" \"kette " + version +
                     "\" \"Kette\"\n.SH NAME\n" + roff(page) + " \\- " + roff(help) +
                     "\n.SH SYNOPSIS\n" + synopsis(command) + "\n";
  const std::vector<std::string> examples = examples_of(command.words);
  if (!examples.empty()) text += ".SH EXAMPLES\n.EX\n";
  for (const std::string& line : examples) text += roff(line) + "\n";
  if (!examples.empty()) text += ".EE\n";
  if (!command.parts.empty()) text += ".SH COMMANDS\n";
  for (const auto& [part, what] : command.parts) {
    text += ".TP\n" + bold(page + "-" + part) + "(1)\n" + roff(what) + "\n";
  }
  text += ".SH OPTIONS\n" + option_entries(command);
  if (command.parts.empty()) {
    text += ".PP\nAny option can stand in a TOML file (" + bold("--config") +
            "), a line each: name = value.\n";
  }
  return text + ".SH \"EXIT STATUS\"\n" + roff(exit_status(command)) + "\n" +
         (command.words.empty() ? "" : ".SH \"SEE ALSO\"\n" + bold("kette") + "(1)\n");
}

}  // namespace kette::cli

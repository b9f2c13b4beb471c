#include "cli/man_page.h"

#include <cstdio>

#include "cli/guide.h"
#include "cli/version.h"
#include "data/files/utf8.h"
#include "tensor/suggestion.h"

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
  const bool is_told = option.kind == OptionDescription::Kind::flag || option.initial.empty() ||
                       help.find("default:") != std::string::npos;
  if (!is_told) help += " (default: " + option.initial + ")";
  return text + (option.is_list ? " ...\n" : "\n") + roff(help) + "\n";
}

std::string page_of(const CommandDescription& command) {
  return command.words.empty() ? "kette" : "kette-" + joined(command.words, "-");
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
                     "\n.SH SYNOPSIS\n" + bold(command.name());
  for (const OptionDescription& option : command.options) {
    if (option.has_place() || !option.is_required) continue;
    text += " " + bold(option.name) + " " + italic(option.type) + (option.is_list ? " ..." : "");
  }
  text += command.parts.empty() ? " [" + italic("OPTIONS") + "]" : " " + italic("COMMAND");
  for (const OptionDescription& option : command.options) {
    if (!option.has_place()) continue;
    text += " [" + italic(option.name) + (option.is_list ? " ...]" : "]");
  }
  text += "\n";
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
  return text +
         ".SH \"EXIT STATUS\"\n0: it is done. 1: an error. 2: a command line that makes no sense.\n" +
         (command.words.empty() ? "" : ".SH \"SEE ALSO\"\n" + bold("kette") + "(1)\n");
}

}  // namespace kette::cli

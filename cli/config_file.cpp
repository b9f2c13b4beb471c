#include "cli/config_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <string_view>

#include "cli/common.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"
#include "data/files/visible_text.h"
#include "tensor/suggestion.h"

namespace kette::cli {
namespace {

/// One line of a configuration file, read from left to right.
class LineParser {
 public:
  LineParser(std::string_view text, std::string origin) : text_(text), origin_(std::move(origin)) {}

  bool at_end() {
    skip_spaces();
    return position_ == text_.size() || text_[position_] == '#';
  }

  std::string key() {
    if (peek() == '"' || peek() == '\'') return quoted();
    const std::string found = word("=");
    if (found.empty()) expected("a key");
    return found;
  }

  std::vector<std::string> values() {
    if (peek() != '[') return {value()};
    ++position_;
    std::vector<std::string> list;
    while (peek() != ']') {
      list.push_back(value());
      if (peek() == ',') {
        ++position_;
      } else if (peek() != ']') {
        expected("',' or ']'");
      }
    }
    ++position_;
    return list;
  }

  void take(char wanted) {
    if (peek() != wanted) expected(std::string("'") + wanted + "'");
    ++position_;
  }

  [[noreturn]] void expected(const std::string& what) const {
    throw UsageError(origin_ + ": expected " + what + ", given " +
                     (position_ < text_.size() ? "'" + std::string(text_.substr(position_)) + "'"
                                               : "the end of the line") +
                     " (a line is: key = value)");
  }

 private:
  void skip_spaces() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t'))
      ++position_;
  }
  char peek() {
    skip_spaces();
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  std::string word(std::string_view stops) {
    const std::size_t begin = position_;
    while (position_ < text_.size() && text_[position_] != ' ' && text_[position_] != '\t' &&
           text_[position_] != '#' && stops.find(text_[position_]) == std::string_view::npos) {
      ++position_;
    }
    return std::string(text_.substr(begin, position_ - begin));
  }

  std::string value() {
    if (peek() == '"' || peek() == '\'') return quoted();
    std::string found = word(",]\"'[");
    if (found.empty()) expected("a value");
    // TOML's 10_000; a word in quotes keeps its underscores.
    if (found.find_first_not_of("+-0123456789_.eE") == std::string::npos) std::erase(found, '_');
    return found;
  }

  std::string quoted() {
    const char quote = text_[position_++];
    std::string content;
    while (position_ < text_.size() && text_[position_] != quote) {
      if (text_[position_] == '\\' && quote == '"') {
        if (++position_ == text_.size()) break;
        const std::size_t escape = std::string_view("\\\"tn").find(text_[position_]);
        if (escape == std::string_view::npos) expected("\\\\, \\\", \\t or \\n");
        content += "\\\"\t\n"[escape];
      } else {
        content += text_[position_];
      }
      ++position_;
    }
    if (position_ == text_.size()) expected(std::string("a closing ") + quote);
    ++position_;
    return content;
  }

  std::string_view text_;
  std::string origin_;
  std::size_t position_ = 0;
};

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    result += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return result + "\"";
}

std::string list_of(const std::vector<std::string>& values) {
  return values.empty() ? "" : "[" + joined(values, quoted) + "]";
}

bool is_bare(const std::string& text) {
  return text == "true" || text == "false" ||
         (!text.empty() && text.find_first_not_of("+-0123456789.e") == std::string::npos &&
          text.find_first_of("0123456789") != std::string::npos);
}

std::string current_value(CLI::Option& option) {
  const std::string value = option.capture_default_str()->get_default_str();
  return value.empty() || is_bare(value) ? value : quoted(value);
}

}  // namespace

std::vector<ConfigEntry> parse_config(const std::string& text, const std::string& name) {
  const TextLines lines(text, name);
  std::vector<ConfigEntry> entries;
  std::map<std::string, std::string> origins;
  for (std::int64_t i = 0; i < lines.size(); ++i) {
    const std::string origin = name + ":" + std::to_string(i + 1);
    LineParser line(lines[i], origin);
    if (line.at_end()) continue;
    ConfigEntry entry{line.key(), {}, origin};
    line.take('=');
    entry.values = line.values();
    if (!line.at_end()) line.expected("the end of the line");
    const auto [earlier, is_new] = origins.try_emplace(entry.key, origin);
    if (!is_new) {
      throw UsageError(origin + ": expected each key once, given " + entry.key + " again after " +
                       earlier->second);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<ConfigEntry> read_config_file(const std::filesystem::path& path) {
  std::string text;
  const TextLines lines = read_lines(path, kWholeText);
  for (const std::string_view line : lines.views()) text.append(line) += '\n';
  return parse_config(text, path.string());
}

std::string config_text(CLI::App& command, const std::vector<std::string>& omit) {
  std::string text, group;
  for (CLI::Option* option : command.get_options()) {
    if (option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames().front();
    if (std::find(omit.begin(), omit.end(), name) != omit.end()) continue;
    const bool is_list = option->get_items_expected_max() > 1;
    const std::string value = is_list ? list_of(option->results()) : current_value(*option);
    if (value.empty()) continue;
    if (option->get_group() != group) {
      group = option->get_group();
      text += (text.empty() ? "# " : "\n# ") + group + "\n";
    }
    if (first_invalid_utf8(value) != std::string::npos) {  // a path, which may be any bytes
      text += "# " + name + " is " + visible(value) +
              ", which TOML cannot hold: give it beside this file\n";
      continue;
    }
    text += name + " = " + value + "\n";
  }
  return text;
}

}  // namespace kette::cli

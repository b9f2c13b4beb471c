#include "cli/toml_tables.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <set>
#include <utility>

#include "cli/options.h"

// toml++ asserts, and in some releases assumes, what a wrong file breaks. Without that it tells the fault.
#undef NDEBUG
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

namespace kette::cli {
namespace {

/// Of one line: each may be a table in a table, and the stack has an end.
constexpr std::ptrdiff_t kMostDots = 4096;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

/// toml++ 3.3 does not survive letters beyond ASCII where it expects none, so it sees none: é is `c3`a9.
std::string in_ascii(std::string_view text) {
  std::string ascii;
  for (const char c : text) {
    if ((c & 0x80) == 0 && c != '`') {
      ascii += c;
    } else {
      char code[4];
      std::snprintf(code, sizeof code, "`%02x", static_cast<unsigned char>(c));
      ascii += code;
    }
  }
  return ascii;
}

std::string from_ascii(std::string_view ascii) {
  std::string text;
  for (std::size_t at = 0; at < ascii.size(); ++at) {
    unsigned code = static_cast<unsigned char>(ascii[at]);
    if (ascii[at] == '`' && at + 2 < ascii.size()) {
      std::from_chars(ascii.data() + at + 1, ascii.data() + at + 3, code, 16);
      at += 2;
    }
    text += static_cast<char>(code);
  }
  return text;
}

/// A text in ASCII, whose places toml++ tells by line and column.
class Document {
 public:
  void add(std::string_view line) {
    begins_.push_back(text_.size());
    text_.append(line) += '\n';
  }
  const std::string& text() const { return text_; }
  std::string_view between(const toml::source_position& begin,
                           const toml::source_position& end) const {
    return std::string_view(text_).substr(offset(begin), offset(end) - offset(begin));
  }

 private:
  std::size_t offset(const toml::source_position& position) const {
    if (position.line > begins_.size()) return text_.size();
    return std::min(begins_[position.line - 1] + position.column - 1, text_.size());
  }

  std::string text_;
  std::vector<std::size_t> begins_;  // of lines
};

bool is_quote(char c) { return c == '"' || c == '\''; }

/// Where a string that begins here ends, or the line.
std::size_t end_of_string(std::string_view line, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < line.size() && line[at] != line[begin]) {
    at += line[at] == '\\' && line[begin] == '"' ? 2 : 1;
  }
  return std::min(at + 1, line.size());
}

/// What toml++ makes of a text, or what it says is wrong with it.
struct Parsed {
  toml::table table;
  std::string fault;  ///< empty: nothing
  toml::source_position place{};

  explicit Parsed(std::string_view text) {
    try {
      table = toml::parse(text);
    } catch (const toml::parse_error& error) {
      fault = error.description();
      place = error.source().begin;
    }
  }
  bool is_toml() const { return fault.empty(); }
};

void check_line(std::string_view line, const std::string& place) {
  const auto dots = std::count(line.begin(), line.end(), '.');
  if (dots > kMostDots) {
    throw UsageError(place + ": expected a line of at most " + std::to_string(kMostDots) +
                     " dots, given " + std::to_string(dots) +
                     " (an array may go over several lines)");
  }
  if (line.find("\\u0060") != std::string_view::npos ||
      line.find("\\U00000060") != std::string_view::npos) {
    throw UsageError(place + ": expected ` as it stands, given its number");
  }
}

/// The line with quotes where TOML misses them.
std::string with_quotes(std::string_view line) {
  const std::string_view content = trimmed(line);
  const std::size_t bracket = content.find_first_of("]\"'#");
  if (content.starts_with('[')) {
    const bool is_name = bracket != std::string_view::npos && content[bracket] == ']' &&
                         !Parsed(content.substr(0, bracket + 1)).is_toml();
    if (!is_name) return std::string(line);
    return "['" + std::string(trimmed(content.substr(1, bracket - 1))) + "'" +
           std::string(content.substr(bracket));
  }
  std::string result;
  bool is_value = false;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at + 1;
    bool is_word = false;
    if (is_quote(line[at])) {
      end = end_of_string(line, at);
    } else if (line[at] == '#') {
      end = line.size();
    } else if (line[at] == '=' && !is_value) {
      is_value = true;
    } else if (is_value && std::string_view(" \t\r,[]").find(line[at]) == std::string_view::npos) {
      end = std::min(line.find_first_of(" \t\r#,[]\"'", at), line.size());
      is_word = true;
    }
    const std::string part(line.substr(at, end - at));
    result += is_word && !is_bare_value(part) ? "'" + part + "'" : part;
    at = end;
  }
  return result;
}

/// What lies between, or nothing.
std::string found_between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return "";
  const std::string_view rest = text.substr(begin + before.size());
  return std::string(rest.substr(0, rest.find(after)));
}

/// fault: what toml++ says, as "Error while parsing key-value pair: expected value, saw '\n'". stands: what does there.
std::string in_our_words(const std::string& fault, std::string_view line, std::string_view rest) {
  const std::string what = found_between(fault, "parsing ", ": "),
                    why = what.empty() ? fault : found_between(fault, what + ": ", "\n");
  if (why.starts_with("cannot redefine existing")) {
    if (what == "table header")
      return "expected each table once, given " + std::string(line) + " again";
    return "expected each key once, given " + std::string(trimmed(line.substr(0, line.find('=')))) +
           " again";
  }
  std::string expected = found_between(why, "expected ", ", saw ");
  if (expected == "value") expected = "a value";
  if (expected == "a comment or whitespace") expected = "the end of the line";
  const bool is_end = why == "encountered end-of-file";
  if (is_end) expected = "the rest of the " + what;
  if (what == "string" && !is_end && rest.empty()) expected = "a closing quote";
  const std::string given = is_end         ? "the end of the file"
                            : rest.empty() ? "the end of the line"
                                           : "'" + std::string(rest) + "'";
  return expected.empty() ? "expected TOML, given " + given + " (" + why + ")"
                          : "expected " + expected + ", given " + given;
}

/// given: what toml++ has parsed, which may have more quotes than the file.
[[noreturn]] void complain(const Parsed& parsed, const Document& given, const Document& original,
                           const std::string& file) {
  const toml::source_position at = parsed.place, begin = {at.line, 1}, end = {at.line + 1, 1};
  std::string place = file + ":" + std::to_string(at.line);
  std::string_view rest = original.between(begin, end);
  const std::string line = from_ascii(trimmed(rest));
  if (given.between(begin, end) == rest) {
    const std::string before = from_ascii(given.between(begin, at));
    const auto characters =
        std::count_if(before.begin(), before.end(), [](char c) { return (c & 0xC0) != 0x80; });
    place += ":" + std::to_string(characters + 1);
    rest = given.between(at, end);
  }
  throw UsageError(place + ": " + in_our_words(parsed.fault, line, from_ascii(trimmed(rest))));
}

/// Makes tables of what toml++ has parsed.
class Reader {
 public:
  Reader(const Document& parsed, const Document& original, const std::string& file)
      : parsed_(parsed), original_(original), file_(file) {}

  std::vector<ConfigTable> tables(const toml::table& root) {
    add(root, "");
    // toml++ sorts by name.
    std::stable_sort(tables_.begin() + 1, tables_.end(),
                     [](const Placed& a, const Placed& b) { return a.place < b.place; });
    std::vector<ConfigTable> tables;
    std::set<std::string> names;  // [a.b] and ["a.b"] are one
    for (Placed& placed : tables_) {
      const ConfigTable& table = tables.emplace_back(std::move(placed.table));
      if (!names.insert(table.name).second) {
        throw UsageError(table.origin + ": expected each table once, with a name, given [" +
                         table.name + "] again");
      }
    }
    return tables;
  }

 private:
  struct Placed {
    toml::source_position place;
    ConfigTable table;
  };

  std::string origin(const toml::source_position& place) const {
    return file_ + ":" + std::to_string(place.line);
  }

  void add(const toml::table& table, const std::string& name) {
    const std::size_t number = tables_.size();
    const toml::source_position place = table.source().begin;
    tables_.push_back({place, {name, origin(place), {}}});
    std::vector<std::pair<toml::source_position, ConfigEntry>> entries;
    bool is_named = true;  // and not only made for a table within it, as the a of [a.b]
    for (const auto& [key, node] : table) {
      const std::string word = from_ascii(key.str()), origin = this->origin(key.source().begin);
      const toml::table* inner = node.as_table();
      if (inner == nullptr || inner->is_inline()) {
        const toml::source_position begin = key.source().begin,
                                    end = {node.source().end.line + 1, 1};
        entries.push_back({begin,
                           {word, values(node, origin + ": " + word), origin,
                            from_ascii(trimmed(original_.between(begin, end)))}});
        continue;
      }
      is_named = is_named && inner->source().begin != place;
      add(*inner, name.empty() ? word : name + "." + word);
    }
    if (entries.empty() && !is_named && !name.empty()) {
      tables_.erase(tables_.begin() + static_cast<std::ptrdiff_t>(number));
      return;
    }
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& entry : entries) tables_[number].table.entries.push_back(std::move(entry.second));
  }

  std::vector<std::string> values(const toml::node& node, const std::string& where) const {
    std::vector<std::string> values;
    const toml::array* array = node.as_array();
    if (array == nullptr) return {value(node, where)};
    for (const toml::node& element : *array) values.push_back(value(element, where));
    return values;
  }

  std::string value(const toml::node& node, const std::string& where) const {
    if (node.is_array() || node.is_table()) {
      throw UsageError(where + ": expected values, given " +
                       (node.is_table() ? "a table" : "an array in an array"));
    }
    if (const auto* text = node.as_string()) return from_ascii(text->get());
    const auto* whole = node.as_integer();
    if (whole != nullptr && whole->flags() != toml::value_flags::none) {
      return std::to_string(whole->get());  // 0x10
    }
    std::string written(parsed_.between(node.source().begin, node.source().end));
    if (node.is_number()) {
      std::erase(written, '_');
      if (written.front() == '+') written.erase(0, 1);
    }
    return written;
  }

  const Document &parsed_, &original_;
  const std::string& file_;
  std::vector<Placed> tables_;
};

}  // namespace

std::vector<ConfigTable> parse_tables(const TextLines& lines, const std::string& file) {
  Document original, quoted;
  for (std::int64_t i = 0; i < lines.size(); ++i) {
    check_line(lines[i], file + ":" + std::to_string(i + 1));
    original.add(in_ascii(lines[i]));
  }
  const Parsed strict(original.text());
  if (strict.is_toml()) return Reader(original, original, file).tables(strict.table);
  // A string over several lines may hold what looks like a key.
  const bool has_long_strings = original.text().find("'''") != std::string::npos ||
                                original.text().find("\"\"\"") != std::string::npos;
  if (has_long_strings) complain(strict, original, original, file);
  for (const std::string_view line : lines.views()) quoted.add(with_quotes(in_ascii(line)));
  const Parsed relaxed(quoted.text());
  if (!relaxed.is_toml()) complain(relaxed, quoted, original, file);
  return Reader(quoted, original, file).tables(relaxed.table);
}

bool is_bare_value(const std::string& text) {
  const Parsed parsed("value = " + text + "\n");
  const toml::node* node = parsed.table.get("value");
  return parsed.is_toml() && parsed.table.size() == 1 && node->is_value() && !node->is_string();
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\\' || c == '"') {
      result += std::string("\\") + c;
    } else if (c == '\n') {
      result += "\\n";
    } else if ((code < 0x20 && c != '\t') || code == 0x7F) {
      char escape[7];
      std::snprintf(escape, sizeof escape, "\\u%04X", code);
      result += escape;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace kette::cli

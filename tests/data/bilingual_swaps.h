// Documents with sources and targets, without a reader of ours: the same without targets, and with each target in the
// place of its source. So a reader is tested by what it wrote.
#pragma once

#include <string>
#include <string_view>

#include "tests/support.h"

namespace kette::testing {

/// XLIFF without the targets of its units. swaps: their contents take the places of the sources' contents.
inline std::string without_targets(const std::string& xliff, bool swaps) {
  std::string out;
  std::size_t at = 0;
  const auto find = [&](const char* what, std::size_t from) {
    return std::min(xliff.find(what, from), xliff.size());
  };
  const auto begins = [&](const char* name,
                          std::size_t from) {  // a tag, with ">" or " " behind its name
    std::size_t found = from;
    do {
      found = find(name, found + (found > from ? 1 : 0));
      if (found == xliff.size()) return found;
    } while (std::string_view(" >/\n\r\t").find(xliff[found + std::string_view(name).size()]) ==
                 std::string_view::npos &&
             ++found);
    return found;
  };
  for (;;) {
    const std::size_t unit = std::min(begins("<trans-unit", at), begins("<segment", at));
    if (unit == xliff.size()) return out + xliff.substr(at);
    const std::size_t unit_end = std::min(find("</trans-unit", unit), find("</segment", unit));
    const std::size_t source = begins("<source", unit);
    const std::size_t source_end = find("</source>", source);
    const std::size_t other = std::min(begins("<alt-trans", unit), unit_end);
    const std::size_t target = begins("<target", unit);
    if (target > other || source > other || source_end > other) {
      out += xliff.substr(at, unit_end - at);
      at = unit_end;
      continue;
    }
    const std::size_t tag_end = find(">", target) + 1;
    const bool is_empty = xliff[tag_end - 2] == '/';
    const std::size_t content_end = is_empty ? tag_end : find("</target>", tag_end);
    const std::size_t content = find(">", source) + 1;
    std::size_t line = target;
    while (std::string_view(" \t\r\n").find(xliff[line - 1]) != std::string_view::npos) --line;
    out += xliff.substr(at, content - at);
    out += swaps && !is_empty ? xliff.substr(tag_end, content_end - tag_end)
                              : xliff.substr(content, source_end - content);
    out += xliff.substr(source_end, line - source_end);
    at = is_empty ? tag_end : content_end + 9;
  }
}

/// A PO file with empty msgstrs. swaps: what was in them takes the places of the msgids, that of msgstr[1] of msgid_plural.
inline std::string without_msgstrs(const std::string& po, bool swaps) {
  std::string out, ids, rest;  // rest: from the first msgstr of an entry on
  std::string id, id_plural, single, plural, plural_keyword, comments;
  std::string* strings = nullptr;
  bool is_fuzzy = false, has_plural = false;
  std::string id_keyword, translations, raw;
  const auto end_entry = [&] {
    const bool is_header = id.find_first_not_of("\"\r\n") == std::string::npos;
    if (raw.empty() || is_fuzzy || is_header || single.empty()) {
      out += raw;
    } else {
      const auto has = [](const std::string& text) {
        return text.find_first_not_of("\"\r\n") != std::string::npos;
      };
      out += comments + id_keyword + (swaps && has(single) ? single : id);
      if (has_plural) {
        out += plural_keyword + (swaps && has(plural) ? plural : id_plural);
      }
      out += translations;
    }
    id = id_plural = single = plural = plural_keyword = comments = id_keyword = translations = raw =
        "";
    strings = nullptr;
    is_fuzzy = has_plural = false;
  };
  std::string ignored;
  for (std::size_t at = 0; at < po.size();) {
    std::size_t end = std::min(po.find('\n', at), po.size() - 1) + 1;
    const std::string line = po.substr(at, end - at);
    at = end;
    const std::size_t quote = line.find('"');
    const auto is = [&](const char* keyword) { return line.rfind(keyword, 0) == 0; };
    if (is("msgid_plural")) {
      plural_keyword = line.substr(0, quote);
      has_plural = true;
      strings = &id_plural;
    } else if (is("msgstr")) {
      const std::size_t number = line.find('[');
      const bool is_first = number > quote || line[number + 1] == '0';
      strings = is_first ? &single : line[number + 1] == '1' ? &plural : &ignored;
      translations +=
          line.substr(0, quote) + "\"\"" + (line.find('\r') < line.size() ? "\r\n" : "\n");
    } else if (is("\"")) {
    } else {
      if (!translations.empty()) end_entry();
      if (is("#,") && contains(line, "fuzzy")) is_fuzzy = true;
      if (is("msgid")) {
        id_keyword = line.substr(0, quote);
        strings = &id;
      } else {
        comments += line;
        raw += line;
        strings = is("msgctxt") ? &comments : nullptr;
        if (is("msgctxt")) strings = nullptr;
        continue;
      }
    }
    raw += line;
    if (strings == nullptr) {
      comments += line;
    } else {
      *strings += line.substr(quote);
    }
  }
  end_entry();
  return out;
}

}  // namespace kette::testing

#include "data/checks/line_facts.h"

#include <algorithm>
#include <unordered_set>

#include "data/documents/html_elements.h"
#include "data/documents/html_tokens.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "tensor/splitmix.h"

namespace kette {
namespace {

/// Hashes three characters at a time.
std::uint64_t hash_of_text(std::u32string_view text) {
  constexpr std::size_t kAtOnce = 3;
  std::uint64_t hash = text.size();
  for (std::size_t at = 0; at < text.size(); at += kAtOnce) {
    std::uint64_t characters = 0;
    for (const char32_t character : text.substr(at, kAtOnce)) {
      characters = characters << 21 | character;
    }
    hash = splitmix64(hash ^ characters);
  }
  return hash;
}

std::u32string_view stripped(std::u32string_view text) {
  text = strip_right(text);
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

/// Whether this is the name of an HTML element that occurs in or around sentences.
bool is_html_name(std::string_view name) {
  static const std::unordered_set<std::string_view> inline_names = {
      "a",   "abbr", "acronym", "b",    "bdi",    "bdo", "big",    "cite",  "code", "data",
      "del", "dfn",  "em",      "font", "i",      "ins", "kbd",    "label", "mark", "q",
      "s",   "samp", "small",   "span", "strike", "sub", "strong", "sup",   "time", "tt",
      "u",   "var",  "svg",     "math", "button", "tr",  "audio",  "video", "ruby", "rt",
      "seg", "doc",  "g",       "x",    "bpt",    "ept", "ph",     "it",    "ut"};
  return inline_names.contains(name) || is_html_block(name) || is_html_void(name) ||
         is_html_raw(name);
}

bool is_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == ':';
  });
}

/// The bytes of a tag, comment or reference at `at`; 0: none.
std::size_t markup_at(std::string_view line, std::size_t at) {
  if (line[at] == '&') {
    const std::size_t bytes = html_reference(line, at).bytes;
    return bytes > 0 && line[at + bytes - 1] == ';' ? bytes : 0;
  }
  constexpr std::size_t kLongest = 500;  // of a tag, so that a line of only < is read once
  const HtmlToken token = html_token(line.substr(at, kLongest), 0);
  const std::size_t bytes = token.end;
  const std::string_view text = line.substr(at, bytes);
  if (text.starts_with("<!--") && text.ends_with("-->")) return bytes;
  const bool is_tag = token.kind == HtmlToken::Kind::start || token.kind == HtmlToken::Kind::end;
  if (!is_tag || !is_name(token.name)) return 0;
  const bool has_value = text.find("=\"") != std::string_view::npos;
  return has_value || token.closes_itself || is_html_name(token.name) ? bytes : 0;
}

/// The characters of Windows-1252 for the bytes 0x80 to 0x9F.
constexpr std::u32string_view kWindows =
    U"\u20AC\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u017D\u2018\u2019\u201C\u201D"
    U"\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u017E\u0178";

/// Whether Latin-1 or Windows-1252 shows a UTF-8 continuation byte as this character.
bool shows_continuation(char32_t character) {
  return (character >= 0x80 && character < 0xC0) ||
         kWindows.find(character) != std::u32string_view::npos;
}

bool is_control_character(char32_t character) {
  return (character < 0x20 && character != '\t') || (character >= 0x7F && character < 0xA0);
}

/// The bytes that are broken at `at`; 0: none.
std::size_t broken_at(std::string_view line, std::size_t at) {
  const Utf8Character one = utf8_character(line, at);
  if (is_control_character(one.code_point)) return one.bytes;
  switch (one.code_point) {
    case 0xFEFF:  // a byte order mark within a text
    case 0xFFFD:
      return one.bytes;
    case 0xC2:    // of U+0080 to U+00BF
    case 0xC3:    // of U+00C0 to U+00FF
    case 0xE2: {  // of quotation marks, dashes, the euro: two bytes more
      const std::size_t wanted = one.code_point == 0xE2 ? 2 : 1;
      std::size_t end = at + one.bytes;
      for (std::size_t i = 0; i < wanted; ++i) {
        const Utf8Character next = end < line.size() ? utf8_character(line, end) : Utf8Character();
        if (next.bytes == 0 || !shows_continuation(next.code_point)) return 0;
        end += next.bytes;
      }
      return end - at;
    }
    default:
      return 0;
  }
}

/// About how many letters of an alphabet write the same: English is about three times as many
/// characters as its translation in ideographs and kana, twice as many as in Hangul.
std::int64_t weight_of(char32_t c) {
  if (c >= 0xAC00 && c <= 0xD7A3) return 2;  // Hangul syllables
  const bool is_dense = (c >= 0x3005 && c <= 0x3007) || (c >= 0x3041 && c <= 0x30FF) ||
                        (c >= 0x31F0 && c <= 0x31FF) || (c >= 0x3400 && c <= 0x4DBF) ||
                        (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
                        (c >= 0x20000 && c <= 0x3FFFF);
  return is_dense ? 3 : 1;
}

}  // namespace

std::string_view markup_in(std::string_view line) {
  for (std::size_t at = 0; (at = line.find_first_of("<&", at)) != std::string_view::npos; ++at) {
    if (const std::size_t bytes = markup_at(line, at); bytes > 0) return line.substr(at, bytes);
  }
  return {};
}

std::string_view broken_in(std::string_view line) {
  for (std::size_t at = 0; at < line.size(); at += utf8_length(line[at])) {
    if (line[at] >= 0x20 && line[at] < 0x7F) continue;
    if (const std::size_t bytes = broken_at(line, at); bytes > 0) return line.substr(at, bytes);
  }
  return {};
}

std::string_view tokenised_in(std::string_view line) {
  for (std::size_t at = 1; (at = line.find_first_of(".,", at)) != std::string_view::npos; ++at) {
    const bool ends = at + 1 == line.size() || line[at + 1] == ' ';
    if (!ends || line[at - 1] != ' ' || at < 2 || line[at - 2] == ' ') continue;
    const std::size_t before = line.substr(0, at - 1).find_last_of(' ');
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    return line.substr(begin, at + 1 - begin);
  }
  return {};
}

std::uint64_t exact_hash(std::string_view line) {
  const std::u32string all = decode_utf8(line);
  const std::u32string_view text = stripped(all);
  return text.empty() ? 0 : hash_of_text(text);
}

LineFacts facts_of(std::string_view line) {
  LineFacts facts;
  const std::u32string all = decode_utf8(line);
  const std::u32string_view text = stripped(all);
  facts.characters = std::ssize(text);
  if (text.empty()) return facts;
  const std::u32string lowered = lower(text);
  std::u32string letters;  // and numbers
  std::int64_t others = 0, with_case = 0, without_case = 0;
  for (const char32_t character : text) facts.weight += weight_of(character);
  for (const char32_t character : lowered) {
    if (is_letter(character)) ++(is_lower_case(character) ? with_case : without_case);
    if (is_letter(character) || is_number(character)) letters.push_back(character);
    others += is_letter(character) ? -1 : is_space(character) || is_mark(character) ? 0 : 1;
  }
  facts.exact = hash_of_text(text);
  facts.normalised = letters.empty() ? facts.exact : hash_of_text(letters);
  facts.language = language_of_line(lowered);
  facts.has_markup = !markup_in(line).empty();
  facts.is_broken = !broken_in(line).empty();
  facts.is_tokenised = !tokenised_in(line).empty();
  facts.has_few_letters = others > 0;
  facts.is_lower_cased = lowered == text && with_case > 0 && with_case >= without_case;
  return facts;
}

}  // namespace kette

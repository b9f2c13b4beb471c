#include "data/sentences/protected_text.h"

#include <algorithm>
#include <array>

#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "data/sentences/ascii.h"
#include "data/sentences/language.h"
#include "data/sentences/placeholders.h"

namespace kette {
namespace {

using Kind = ProtectedSpan::Kind;

constexpr std::size_t kLongestLocal = 64, kLongestDomain = 253;  // RFC 5321, 4.5.3.1; RFC 1035

using sentences::is_alpha;
using sentences::is_digit;
using sentences::is_one_of;
using sentences::lowered;

/// A letter beyond ASCII of a script with spaces: an address ends before Chinese.
std::size_t foreign_letter(std::string_view text, std::size_t at) {
  if (static_cast<unsigned char>(text[at]) < 0x80) return 0;
  const auto [c, bytes] = utf8_character(text, at);
  return bytes > 0 && c < 0x2E80 && (is_letter(c) || is_number(c) || is_nonspacing_mark(c)) ? bytes
                                                                                            : 0;
}

bool has_prefix(std::string_view text, std::size_t at, std::string_view prefix) {
  return text.size() - at >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, char b) { return a == lowered(b); });
}

/// The end of an address whose part after the scheme begins at `at`. Brackets that it did not open
/// end it; punctuation at its end belongs to the sentence.
std::size_t address_end(std::string_view text, std::size_t at) {
  constexpr std::string_view kOpening = "([{", kClosing = ")]}";
  std::array<int, 3> open{};
  std::size_t end = at;
  while (end < text.size()) {
    const char c = text[end];
    if (const std::size_t bracket = kOpening.find(c); bracket != std::string_view::npos) {
      ++open[bracket];
    } else if (const std::size_t closed = kClosing.find(c); closed != std::string_view::npos) {
      if (open[closed]-- == 0) break;
    } else if (const std::size_t bytes = foreign_letter(text, end)) {
      end += bytes;
      continue;
    } else if (c <= ' ' || c == '\x7F' || is_one_of(c, "<>\"`|\\^") ||
               static_cast<unsigned char>(c) >= 0x80) {
      break;
    }
    ++end;
  }
  while (end > at && is_one_of(text[end - 1], ".,;:!?'*_~([{")) --end;
  return end;
}

/// The end of a domain that begins at `at`: labels separated by dots; `at` if fewer than two.
struct Domain {
  std::size_t end = 0, last_label = 0;
};
Domain domain(std::string_view text, std::size_t at) {
  Domain found{at, at};
  std::size_t label = at, end = at;
  const std::size_t most = std::min(text.size(), at + kLongestDomain);
  bool has_dot = false;
  while (end < most) {
    const std::size_t bytes = foreign_letter(text, end);
    if (is_alpha(text[end]) || is_digit(text[end]) || bytes > 0) {
      end += std::max<std::size_t>(bytes, 1);
      if (has_dot) found = {end, label};
    } else if (text[end] == '-' && end > label) {
      ++end;
    } else if (text[end] == '.' && end > label) {
      has_dot = true;
      label = ++end;
    } else {
      break;
    }
  }
  return found;
}

std::size_t mail_end(std::string_view text, std::size_t begin) {
  std::size_t at = begin;
  const std::size_t most = std::min(text.size(), begin + kLongestLocal + 1);
  while (at < most && text[at] != '@') {
    const std::size_t bytes = foreign_letter(text, at);
    if (bytes == 0 && !is_alpha(text[at]) && !is_digit(text[at]) && !is_one_of(text[at], "._+-")) {
      return begin;
    }
    at += std::max<std::size_t>(bytes, 1);
  }
  if (at >= most || at == begin || text[at - 1] == '.') return begin;
  const Domain found = domain(text, at + 1);
  return found.end - found.last_label >= 2 && found.end > at + 1 ? found.end : begin;
}

/// What an address may begin with.
constexpr std::string_view kSchemes[] = {"https://", "http://", "ftp://", "ftps://", "sftp://",
                                         "ssh://",   "git://",  "svn://", "file://", "ws://",
                                         "wss://",   "mailto:", "tel:",   "www.",    "irc://"};

std::size_t scheme_end(std::string_view text, std::size_t begin) {
  for (const std::string_view scheme : kSchemes) {
    const std::size_t rest = begin + scheme.size();
    if (!has_prefix(text, begin, scheme) || rest == text.size()) continue;
    if (scheme == "mailto:" && mail_end(text, rest) == rest) continue;
    if (scheme == "tel:" && !is_digit(text[rest]) && text[rest] != '+') continue;
    if (scheme == "www." && domain(text, rest).end == rest) continue;
    const std::size_t end = address_end(text, rest);
    if (end > rest) return end;
  }
  return begin;
}

/// Top-level domains recognised without www., and those recognised only with a path.
constexpr std::string_view kKnown[] = {"com", "org", "net", "de", "fr",   "uk",  "eu",  "edu",
                                       "gov", "ch",  "io",  "at", "info", "dev", "int", "example"};
constexpr std::string_view kKnownWithPath[] = {"ly", "me",  "tv",  "co", "nl", "be", "it", "es",
                                               "pl", "us",  "ca",  "jp", "cn", "ru", "gl", "gg",
                                               "ai", "app", "xyz", "be", "lu", "li", "se", "no"};

template <class List>
bool is_in(std::string_view word, const List& list) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

std::size_t bare_domain_end(std::string_view text, std::size_t begin) {
  const Domain found = domain(text, begin);
  if (found.end == begin || found.last_label < begin + 3) return begin;  // "z.de", one letter
  const std::string_view last = text.substr(found.last_label, found.end - found.last_label);
  std::size_t end = found.end, port = end;
  if (port < text.size() && text[port] == ':') {
    ++port;
    while (port < text.size() && is_digit(text[port])) ++port;
    if (port > end + 1) end = port;
  }
  const bool has_path = end < text.size() && text[end] == '/';
  if (!is_in(last, kKnown) && !(has_path && is_in(last, kKnownWithPath))) return begin;
  if (!has_path && end < text.size() && text[end] == '@') return begin;
  return has_path ? std::max(end, address_end(text, end)) : end;
}

/// Words that may follow a dash and are no names of options.
bool is_plain_word(std::string_view word) {
  static constexpr std::string_view kWords[] = {
      "a",   "an",  "the", "it", "he",  "she", "they", "we",   "you",  "this", "not",  "his",
      "her", "its", "our", "my", "er",  "sie", "es",   "wir",  "ihr",  "ein",  "eine", "nicht",
      "le",  "la",  "les", "un", "une", "il",  "elle", "nous", "vous", "ils",  "elles"};
  const auto joins = [&](const sentences::Language& language) {
    return language.conjunctions.contains(word);
  };
  return is_in(word, kWords) || joins(sentences::english()) || joins(sentences::german()) ||
         joins(sentences::french());
}

/// --name or --name=value, but not dashes before words of a sentence. last_dash: the last place of
/// the text where "--" follows a word.
std::size_t option_end(std::string_view text, std::size_t begin, std::size_t last_dash) {
  if (!has_prefix(text, begin, "--") || begin + 3 >= text.size()) return begin;
  std::size_t end = begin + 2;
  if (!is_alpha(text[end])) return begin;
  bool is_clear = false;  // no word has these
  while (end < text.size() &&
         (is_alpha(text[end]) || is_digit(text[end]) ||
          (text[end] == '-' && end + 1 < text.size() && is_alpha(text[end + 1])))) {
    is_clear = is_clear || !is_alpha(text[end]);
    ++end;
  }
  const std::string_view name = text.substr(begin + 2, end - begin - 2);
  const bool goes_on = end < text.size() && foreign_letter(text, end) > 0;
  if (name.size() < 2 || goes_on) return begin;
  if (end < text.size() && text[end] == '=') {
    const std::size_t value = address_end(text, end + 1);
    if (value > end + 1) return value;
  }
  const bool has_capital = name[0] < 'a';
  const bool is_word = has_capital || is_plain_word(name) || last_dash > begin;
  return is_clear || !is_word ? end : begin;
}

/// <name>, <name attribute="value">, </name>, <name/>. Without a value it may be a comparison.
std::size_t tag_end(std::string_view text, std::size_t begin) {
  const std::string_view near = text.substr(begin, sentences::kLongestPlaceholder);
  const auto is_name = [](char c) { return is_alpha(c) || is_digit(c) || is_one_of(c, ":-"); };
  const bool closes = near.substr(1).starts_with('/');
  std::size_t at = closes ? 2 : 1;
  if (at >= near.size() || !is_alpha(near[at])) return begin;
  while (at < near.size() && is_name(near[at])) ++at;
  const std::size_t after_name = at;
  bool has_value = false;
  for (char quote = '\0'; at < near.size(); ++at) {
    const char c = near[at];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '>') {
      const std::string_view rest = near.substr(after_name, at - after_name);
      const bool is_bare = rest.find_first_not_of(" \t\n\r/") == rest.npos;
      return is_bare || (has_value && !closes) ? begin + at + 1 : begin;
    } else if (c == '<' || (at == after_name && !is_one_of(c, " \t\n\r/"))) {
      return begin;
    } else if (is_one_of(c, "\"'") && near[at - 1] == '=') {
      quote = c;
    }
    has_value = has_value || c == '=';
  }
  return begin;
}

/// The name of an emoji: ":tada:".
std::size_t emoji_name_end(std::string_view text, std::size_t begin) {
  constexpr std::size_t kLongest = 64;
  std::size_t at = begin + 1;
  const std::size_t most = std::min(text.size(), begin + kLongest);
  if (at >= most || !sentences::is_lower(text[at])) return begin;
  while (at < most &&
         (sentences::is_lower(text[at]) || is_digit(text[at]) || is_one_of(text[at], "_+-"))) {
    ++at;
  }
  if (at >= most || text[at] != ':' || at - begin < 3) return begin;
  ++at;
  const bool is_in_word = at < text.size() && (is_alpha(text[at]) || is_digit(text[at]) ||
                                               foreign_letter(text, at) > 0);
  return is_in_word ? begin : at;
}

/// A path from a root, of at least two parts.
std::size_t path_end(std::string_view text, std::size_t begin) {
  const auto is_part = [](char c) { return is_alpha(c) || is_digit(c) || is_one_of(c, "._-+@"); };
  char separator = '/';
  std::size_t at = begin, parts = 0;
  if (is_alpha(text[begin]) && text.substr(begin + 1, 2) == ":\\") {
    separator = '\\';
    at = begin + 2;
    ++parts;
  } else if (text[begin] == '~') {
    at = begin + 1;
    ++parts;
  } else if (text[begin] == '.') {
    at = begin + (text.substr(begin, 2) == ".." ? 2 : 1);
    ++parts;
  }
  while (at < text.size() && text[at] == separator) {
    std::size_t end = at + 1;
    while (end < text.size()) {
      const std::size_t bytes = foreign_letter(text, end);
      if (bytes == 0 && !is_part(text[end])) break;
      end += std::max<std::size_t>(bytes, 1);
    }
    if (end == at + 1) break;
    ++parts;
    at = end;
  }
  const std::string_view path = text.substr(begin, at - begin);
  if (parts < 2 || std::none_of(path.begin() + 1, path.end(), [](char c) {
        return is_alpha(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
      })) {
    return begin;
  }
  if (at < text.size() && text[at] == separator) return at + 1;
  while (is_one_of(text[at - 1], ".-+@_")) --at;
  return at;
}

/// Whether a word may begin after this character.
bool is_outside_words(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const char c = text[at - 1];
  return !is_alpha(c) && !is_digit(c) && c != '_' && static_cast<unsigned char>(c) < 0x80;
}

/// Whether the character before is beyond ASCII and not a letter, such as a quotation mark, or of a
/// script without spaces.
bool is_behind_mark(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && at - begin < 4 && continues_utf8(text[begin - 1])) --begin;
  if (begin == 0) return false;
  return foreign_letter(text, begin - 1) == 0;
}

bool follows_word(std::string_view text, std::size_t at) {
  if (at == 0) return false;
  const char c = text[at - 1];
  if (static_cast<unsigned char>(c) >= 0x80) return !is_behind_mark(text, at);
  return is_alpha(c) || is_digit(c) || is_one_of(c, ".!?)");
}

/// last_end: of the span before.
ProtectedSpan span_at(std::string_view text, std::size_t at, std::size_t last_dash,
                      std::size_t last_end) {
  if (const std::size_t end = sentences::placeholder_end(text, at); end != at) {
    return {at, end, Kind::placeholder};
  }
  const char c = text[at];
  const char before = at == 0 ? ' ' : text[at - 1];
  if (c == '<' && before != '<') {
    const std::size_t end = tag_end(text, at);
    if (end != at && !text.substr(end).starts_with('>')) return {at, end, Kind::tag};
  }
  const bool begins =
      is_outside_words(text, at) ||
      (static_cast<unsigned char>(text[at - 1]) >= 0x80 && is_behind_mark(text, at));
  const bool is_word = is_alpha(c) || is_digit(c) || foreign_letter(text, at) > 0;
  if (!begins) return {at, at};
  if (is_alpha(c)) {
    if (const std::size_t end = scheme_end(text, at); end != at) return {at, end, Kind::address};
  }
  if (c == ':' && (before != ':' || last_end == at)) {
    return {at, emoji_name_end(text, at), Kind::emoji};
  }
  if (is_word && !is_one_of(before, ".-+@")) {
    if (const std::size_t end = mail_end(text, at); end != at) return {at, end, Kind::mail};
    if (!is_one_of(before, "/\\")) {
      if (const std::size_t end = bare_domain_end(text, at); end != at) {
        return {at, end, Kind::address};
      }
    }
  }
  const bool is_apart = is_one_of(before, " \t\n\r([{\"'`=:,;") || is_behind_mark(text, at);
  if (!is_apart && at > 0) return {at, at};
  if (c == '-') return {at, option_end(text, at, last_dash), Kind::option};
  if (c == '/' || c == '~' || c == '.' || is_alpha(c)) return {at, path_end(text, at), Kind::path};
  return {at, at};
}

}  // namespace

std::vector<ProtectedSpan> protected_spans(std::string_view text) {
  std::vector<ProtectedSpan> spans;
  std::size_t last_dash = text.size();
  do {
    last_dash = last_dash == 0 ? text.npos : text.rfind("--", last_dash - 1);
  } while (last_dash != text.npos && !follows_word(text, last_dash));
  if (last_dash == text.npos) last_dash = 0;
  for (std::size_t at = 0; at < text.size();) {
    const ProtectedSpan span = span_at(text, at, last_dash, spans.empty() ? 0 : spans.back().end);
    if (span.end > at) spans.push_back(span);
    at = std::max(span.end, at + 1);
  }
  return spans;
}

}  // namespace kette

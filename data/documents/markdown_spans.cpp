#include "data/documents/markdown_spans.h"

#include <algorithm>
#include <cstring>

#include "data/documents/html_tokens.h"
#include "data/documents/source_lines.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette {
namespace {

bool is_alpha_ascii(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_alnum_ascii(char c) { return is_alpha_ascii(c) || (c >= '0' && c <= '9'); }
bool is_host(char c) { return is_alnum_ascii(c) || c == '-' || c == '.' || c == '_'; }

/// The character that ends before a place, and the one that begins there; a space at the ends.
char32_t character_before(std::string_view text, std::size_t at) {
  if (at == 0) return U' ';
  do --at;
  while (at > 0 && continues_utf8(text[at]));
  return utf8_character(text, at).code_point;
}

char32_t character_behind(std::string_view text, std::size_t at) {
  return at < text.size() ? utf8_character(text, at).code_point : U' ';
}

bool is_flanking_punctuation(char32_t c) {
  return c < 0x80 ? is_markdown_punctuation(static_cast<char>(c)) : is_punctuation(c);
}

}  // namespace

bool is_markdown_punctuation(char character) {
  return character > ' ' && character < 0x7F && !is_alnum_ascii(character);
}

std::size_t after_autolink(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() &&
         (is_alnum_ascii(text[end]) || std::strchr("+.-", text[end]) != nullptr)) {
    ++end;
  }
  const bool scheme = end < text.size() && text[end] == ':' && end - at >= 3 && end - at <= 33;
  if (scheme && is_alpha_ascii(text[at + 1])) {
    end = text.find_first_of(std::string_view("<> \t\n\r"), end);
    return end != kNowhere && text[end] == '>' ? end + 1 : kNowhere;
  }
  end = at + 1;
  while (end < text.size() &&
         (is_alnum_ascii(text[end]) || std::strchr(".!#$%&'*+/=?^_`{|}~-", text[end]) != nullptr)) {
    ++end;
  }
  if (end == at + 1 || end == text.size() || text[end] != '@') return kNowhere;
  const std::size_t host = end + 1;
  end = host;
  while (end < text.size() && is_host(text[end]) && text[end] != '_') ++end;
  return end > host && end < text.size() && text[end] == '>' ? end + 1 : kNowhere;
}

std::size_t after_bare_address(std::string_view text, std::size_t at) {
  if (at > 0 &&
      (is_alnum_ascii(text[at - 1]) || static_cast<unsigned char>(text[at - 1]) >= 0x80)) {
    return kNowhere;
  }
  const std::string_view rest = text.substr(at);
  std::size_t begin = 0;
  for (const std::string_view start : {"http://", "https://", "ftp://", "www."}) {
    if (rest.starts_with(start)) begin = at + start.size();
  }
  if (begin == 0 || begin == text.size() || !is_alnum_ascii(text[begin])) return kNowhere;
  std::size_t end = std::min(text.find_first_of(" \t\n\r<", begin), text.size());
  std::size_t opened = 0, closed = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (text[i] == '(') ++opened;
    if (text[i] == ')') ++closed;
    if (text[i] == '`' || text[i] == '"' || text[i] == '[' || text[i] == ']') end = i;
  }
  for (; end > begin; --end) {
    const char last = text[end - 1];
    if (last == ')' && closed > opened) {
      --closed;
    } else if (std::strchr("?!.,:;*_~'\\|", last) == nullptr) {
      break;
    }
  }
  return end;
}

MailAddress bare_mail_address(std::string_view text, std::size_t at, std::size_t from) {
  std::size_t begin = at, end = at + 1;
  while (begin > from && (is_host(text[begin - 1]) || text[begin - 1] == '+')) --begin;
  bool dot = false;
  for (; end < text.size() && is_host(text[end]); ++end) dot = dot || text[end] == '.';
  while (end > at + 1 && !is_alnum_ascii(text[end - 1])) --end;
  dot = text.substr(at, end - at).find('.') != kNowhere;
  if (begin == at || end == at + 1 || !dot) return {at, at};
  return {begin, end};
}

MarkdownEntity entity_at(std::string_view text, std::size_t at) {
  const HtmlReference reference = html_reference(text, at);
  const std::size_t end = at + reference.bytes;
  if (reference.bytes == 0 || text[end - 1] != ';') return {kNowhere, {}};
  const std::u32string& plain = reference.plain;
  const bool is_text = plain.size() == 1 && !is_control(plain[0]) && plain[0] != 0x85;
  return {end, is_text ? encode_utf8(plain) : std::string()};
}

std::size_t after_footnote_reference(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 100;
  if (!text.substr(at).starts_with("[^")) return kNowhere;
  const std::size_t end = text.substr(0, at + kLongest).find_first_of("[] \t\n", at + 2);
  return end != kNowhere && end > at + 2 && text[end] == ']' ? end + 1 : kNowhere;
}

Flanks flanks_of(std::string_view text, std::size_t begin, std::size_t end) {
  const char32_t before = character_before(text, begin), behind = character_behind(text, end);
  const bool space_before = is_white_space(before), space_behind = is_white_space(behind);
  const bool sign_before = is_flanking_punctuation(before),
             sign_behind = is_flanking_punctuation(behind);
  const bool left = !space_behind && (!sign_behind || space_before || sign_before);
  const bool right = !space_before && (!sign_before || space_behind || sign_behind);
  if (text[begin] != '_') return {left, right};
  return {left && (!right || sign_before), right && (!left || sign_behind)};
}

}  // namespace kette

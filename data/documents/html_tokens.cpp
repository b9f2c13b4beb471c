#include "data/documents/html_tokens.h"

#include <algorithm>

#include "data/documents/document_bytes.h"
#include "data/files/utf8.h"

namespace kette {
namespace {

constexpr bool is_ascii_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

constexpr bool ends_html_name(char byte) {
  return is_markup_space(byte) || byte == '/' || byte == '>';
}

bool has_lower(std::string_view bytes, std::size_t at, std::string_view lower) {
  return bytes.size() - at >= lower.size() && lower_ascii(bytes.substr(at, lower.size())) == lower;
}

/// The place after the next `what`, or the end.
std::size_t behind_next(std::string_view bytes, std::size_t at, std::string_view what) {
  const std::size_t found = bytes.find(what, at);
  return found == std::string_view::npos ? bytes.size() : found + what.size();
}

/// The place after the comment whose "<!--" is at `at`. "<!-->" and "<!--->" are complete comments.
std::size_t behind_comment(std::string_view bytes, std::size_t at) {
  if (has_lower(bytes, at + 4, ">")) return at + 5;
  if (has_lower(bytes, at + 4, "->")) return at + 6;
  for (std::size_t dashes = at + 4; (dashes = bytes.find("--", dashes)) != std::string_view::npos;
       ++dashes) {
    if (has_lower(bytes, dashes + 2, ">")) return dashes + 3;
    if (has_lower(bytes, dashes + 2, "!>")) return dashes + 4;
  }
  return bytes.size();
}

/// One attribute of a tag, from `at` on; false at the end of the tag. Moves `at` after it.
struct HtmlAttribute {
  std::string_view name, value;
};
bool next_html_attribute(std::string_view bytes, std::size_t& at, HtmlAttribute& found) {
  while (at < bytes.size() && (is_markup_space(bytes[at]) || bytes[at] == '/')) ++at;
  if (at == bytes.size() || bytes[at] == '>') return false;
  const std::size_t name = at++;  // a first "=" is part of it
  while (at < bytes.size() && !ends_html_name(bytes[at]) && bytes[at] != '=') ++at;
  found = {bytes.substr(name, at - name), {}};
  std::size_t value = at;
  while (value < bytes.size() && is_markup_space(bytes[value])) ++value;
  if (value == bytes.size() || bytes[value] != '=') return true;
  ++value;
  while (value < bytes.size() && is_markup_space(bytes[value])) ++value;
  at = value;
  if (at == bytes.size() || bytes[at] == '>') return true;
  const char quote = bytes[at];
  if (quote == '"' || quote == '\'') {
    const std::size_t end = std::min(bytes.find(quote, at + 1), bytes.size());
    found.value = bytes.substr(at + 1, end - at - 1);
    at = std::min(end + 1, bytes.size());
    return true;
  }
  while (at < bytes.size() && !is_markup_space(bytes[at]) && bytes[at] != '>') ++at;
  found.value = bytes.substr(value, at - value);
  return true;
}

HtmlToken tag_token(std::string_view bytes, std::size_t begin, std::size_t name) {
  HtmlToken token{HtmlToken::Kind::start, begin, bytes.size()};
  if (name == begin + 2) token.kind = HtmlToken::Kind::end;
  std::size_t at = name;
  while (at < bytes.size() && !ends_html_name(bytes[at])) ++at;
  token.name = lower_ascii(bytes.substr(name, at - name));
  HtmlAttribute ignored;
  while (next_html_attribute(bytes, at, ignored)) {
  }
  if (at == bytes.size()) {
    token.kind = HtmlToken::Kind::other;  // truncated: browsers show nothing of it
    return token;
  }
  token.closes_itself = bytes[at - 1] == '/';
  token.end = at + 1;
  return token;
}

bool begins_html_markup(std::string_view bytes, std::size_t at) {
  if (at + 1 >= bytes.size()) return false;
  const char next = bytes[at + 1];
  return is_ascii_letter(next) || next == '!' || next == '?' ||
         (next == '/' && at + 2 < bytes.size());
}

}  // namespace

HtmlToken html_token(std::string_view bytes, std::size_t at, bool in_foreign) {
  using Kind = HtmlToken::Kind;
  if (bytes[at] != '<' || !begins_html_markup(bytes, at)) {
    std::size_t end = at + 1;
    while ((end = std::min(bytes.find('<', end), bytes.size())) < bytes.size() &&
           !begins_html_markup(bytes, end)) {
      ++end;
    }
    return {Kind::text, at, end};
  }
  const char next = bytes[at + 1];
  if (is_ascii_letter(next)) return tag_token(bytes, at, at + 1);
  if (next == '/' && is_ascii_letter(bytes[at + 2])) return tag_token(bytes, at, at + 2);
  if (has_lower(bytes, at, "<!--")) return {Kind::other, at, behind_comment(bytes, at)};
  if (in_foreign && bytes.substr(at, 9) == "<![CDATA[") {
    return {Kind::other, at, behind_next(bytes, at, "]]>")};
  }
  return {Kind::other, at, behind_next(bytes, at, ">")};
}

std::size_t end_of_raw_text(std::string_view bytes, std::size_t at, std::string_view name) {
  if (name == "plaintext") return bytes.size();
  const std::string end_tag = "</" + std::string(name);
  const auto is_tag = [&](std::size_t here, std::string_view text) {
    const std::size_t behind_name = here + text.size();
    return has_lower(bytes, here, text) && behind_name < bytes.size() &&
           ends_html_name(bytes[behind_name]);
  };
  // A script within a comment within a script does not end it ("script data double escaped state").
  bool in_comment = false, in_inner = false;
  for (; (at = bytes.find_first_of("<-", at)) != std::string_view::npos; ++at) {
    if (name == "script" && has_lower(bytes, at, "<!--")) in_comment = true;
    if (in_comment && has_lower(bytes, at, "-->")) in_comment = in_inner = false;
    if (in_comment && is_tag(at, "<script")) in_inner = true;
    if (!is_tag(at, end_tag)) continue;
    if (!in_inner) return at;
    in_inner = false;
  }
  return bytes.size();
}

std::optional<std::string_view> html_attribute(std::string_view tag, std::string_view name) {
  std::size_t at = 1;
  while (at < tag.size() && !ends_html_name(tag[at])) ++at;
  for (HtmlAttribute found; next_html_attribute(tag, at, found);) {
    if (lower_ascii(found.name) == name) return found.value;
  }
  return std::nullopt;
}

}  // namespace kette

#include "data/documents/escaped_tags.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

#include "data/documents/html_elements.h"
#include "data/documents/html_tokens.h"

namespace kette {
namespace {

using HtmlKind = HtmlToken::Kind;

bool is_element_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

/// Whether an unpaired start tag is one, though programs write "<file>" in their help.
bool stands_alone(const HtmlToken& token) {
  static constexpr std::string_view kUsual[] = {"br", "hr", "img", "wbr", "p", "li"};
  const bool has_attributes = token.end - token.begin > token.name.size() + 2;
  return token.closes_itself ||
         std::find(std::begin(kUsual), std::end(kUsual), token.name) != std::end(kUsual) ||
         (is_html_void(token.name) && has_attributes);
}

}  // namespace

void UnescapedText::add(std::string_view plain, std::size_t begin, std::size_t end) {
  text_ += plain;
  begins_.insert(begins_.end(), plain.size(), begin);
  ends_.insert(ends_.end(), plain.size(), end);
}

std::vector<EscapedTag> escaped_tags(const UnescapedText& unescaped) {
  const std::string_view text = unescaped.text();
  std::vector<HtmlToken> tokens;
  std::unordered_map<std::string, std::size_t> last_end;  // the last end tag of each name
  for (std::size_t at = text.find('<'); at < text.size();) {
    HtmlToken token = html_token(text, at);
    at = token.end;
    const bool is_tag = (token.kind == HtmlKind::start || token.kind == HtmlKind::end) &&
                        is_element_name(token.name);
    const bool is_comment = token.kind == HtmlKind::other &&
                            text.substr(token.begin, 4) == "<!--" &&
                            text.substr(0, token.end).ends_with("-->");
    if (!is_tag && !is_comment) continue;
    if (token.kind == HtmlKind::end) last_end[token.name] = tokens.size();
    tokens.push_back(std::move(token));
  }
  std::vector<EscapedTag> tags;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const HtmlToken& token = tokens[i];
    using Kind = EscapedTag::Kind;
    EscapedTag tag{Kind::stands, unescaped.begin_of(token.begin), 0, "<" + token.name};
    std::size_t last = i;
    const auto end = last_end.find(token.name);
    const bool has_end = end != last_end.end() && end->second > i;
    if (token.kind == HtmlKind::start && !has_end && !stands_alone(token)) continue;
    if (token.kind == HtmlKind::start && has_end && is_html_code(token.name)) {
      while (tokens[last].kind != HtmlKind::end || tokens[last].name != token.name) ++last;
    } else if (is_html_block(token.name) || token.name == "br") {
      tag.kind = Kind::border;
    } else if (token.kind == HtmlKind::end) {
      tag.kind = Kind::closes;
    } else if (token.kind == HtmlKind::start && has_end && !token.closes_itself) {
      tag.kind = Kind::opens;
    }
    tag.end = unescaped.end_of(tokens[last].end - 1);
    tags.push_back(std::move(tag));
    i = last;
  }
  return tags;
}

}  // namespace kette

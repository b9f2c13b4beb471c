#include "data/documents/markdown_lines.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace kette {
namespace {

constexpr std::size_t kLongestLabel = 999;  // spec 4.7
constexpr std::size_t kDeepestParentheses = 32;

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_gap(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_ascii_punctuation(char c) { return c > ' ' && c < 0x7F && !is_alpha(c) && !is_digit(c); }

std::string lowered(std::string_view text) {
  std::string low(text);
  std::transform(low.begin(), low.end(), low.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return low;
}

std::size_t skip_gap(std::string_view text, std::size_t at) {
  while (at < text.size() && is_gap(text[at])) ++at;
  return at;
}

constexpr std::array<std::string_view, 62> kHtmlBlockTags = {
    "address",  "article",  "aside",    "base",       "basefont", "blockquote", "body",   "caption",
    "center",   "col",      "colgroup", "dd",         "details",  "dialog",     "dir",    "div",
    "dl",       "dt",       "fieldset", "figcaption", "figure",   "footer",     "form",   "frame",
    "frameset", "h1",       "h2",       "h3",         "h4",       "h5",         "h6",     "head",
    "header",   "hr",       "html",     "iframe",     "legend",   "li",         "link",   "main",
    "menu",     "menuitem", "nav",      "noframes",   "ol",       "optgroup",   "option", "p",
    "param",    "section",  "source",   "summary",    "table",    "tbody",      "td",     "tfoot",
    "th",       "thead",    "title",    "tr",         "track",    "ul"};

/// The place after an attribute, with the space before it; kNowhere: there is none.
std::size_t after_attribute(std::string_view text, std::size_t at) {
  const std::size_t name = skip_gap(text, at);
  if (name == at || name == text.size()) return kNowhere;
  if (!is_alpha(text[name]) && text[name] != '_' && text[name] != ':') return kNowhere;
  at = name;
  while (at < text.size() &&
         (is_alpha(text[at]) || is_digit(text[at]) || std::strchr("_.:-", text[at]) != nullptr)) {
    ++at;
  }
  std::size_t value = skip_gap(text, at);
  if (value == text.size() || text[value] != '=') return at;
  value = skip_gap(text, value + 1);
  if (value == text.size()) return kNowhere;
  if (text[value] == '"' || text[value] == '\'') {
    const std::size_t end = text.find(text[value], value + 1);
    return end == kNowhere ? kNowhere : end + 1;
  }
  const std::size_t end = std::min(text.find_first_of(" \t\r\n\"'=<>`", value), text.size());
  return end == value ? kNowhere : end;
}

}  // namespace

bool is_thematic_break(std::string_view line) {
  if (line.empty() || std::strchr("*-_", line[0]) == nullptr) return false;
  const char sign[] = {line[0], ' ', '\t', 0};
  return line.find_first_not_of(sign) == kNowhere &&
         std::count(line.begin(), line.end(), line[0]) >= 3;
}

bool is_setext_underline(std::string_view line) {
  const std::string_view text = without_spaces_behind(line);
  return !text.empty() && (text[0] == '=' || text[0] == '-') &&
         text.find_first_not_of(text[0]) == kNowhere;
}

std::optional<SourceRange> atx_heading(std::string_view line) {
  std::size_t begin = std::min(line.find_first_not_of('#'), line.size());
  if (begin == 0 || begin > 6) return std::nullopt;
  if (begin < line.size() && line[begin] != ' ' && line[begin] != '\t') return std::nullopt;
  begin = std::min(line.find_first_not_of(" \t", begin), line.size());
  std::string_view text = without_spaces_behind(line);
  const std::size_t closing = text.find_last_not_of('#') + 1;
  if (closing < text.size() &&
      (closing <= begin || text[closing - 1] == ' ' || text[closing - 1] == '\t')) {
    text = without_spaces_behind(text.substr(0, closing));
  }
  // Some dialects put a heading's name or class at its end: ## Text {#name}.
  if (text.ends_with('}')) {
    const std::size_t brace = text.rfind('{');
    if (brace != kNowhere && brace > begin && std::strchr("#.:", text[brace + 1]) != nullptr) {
      text = without_spaces_behind(text.substr(0, brace));
    }
  }
  return SourceRange{begin, std::max(begin, text.size())};
}

std::optional<CodeFence> code_fence(std::string_view line) {
  if (line.empty() || (line[0] != '`' && line[0] != '~')) return std::nullopt;
  const std::size_t length = std::min(line.find_first_not_of(line[0]), line.size());
  if (length < 3) return std::nullopt;
  if (line[0] == '`' && line.find('`', length) != kNowhere) return std::nullopt;
  return CodeFence{line[0], length, 0};
}

bool closes_fence(std::string_view line, const CodeFence& fence) {
  const std::string_view text = without_spaces_behind(line);
  return text.size() >= fence.length && text.find_first_not_of(fence.character) == kNowhere;
}

std::size_t list_marker(std::string_view line) {
  if (line.empty()) return 0;
  std::size_t at = 0;
  if (std::strchr("-+*", line[0]) == nullptr) {
    while (at < line.size() && is_digit(line[at])) ++at;
    if (at == 0 || at > 9 || at == line.size() || (line[at] != '.' && line[at] != ')')) return 0;
  }
  ++at;
  return at == line.size() || line[at] == ' ' || line[at] == '\t' ? at : 0;
}

std::size_t task_marker(std::string_view line) {
  if (line.size() < 4 || line[0] != '[' || line[2] != ']') return 0;
  if (std::strchr(" xX", line[1]) == nullptr || (line[3] != ' ' && line[3] != '\t')) return 0;
  return 4;
}

std::size_t footnote_marker(std::string_view line) {
  if (!line.starts_with("[^")) return 0;
  const std::size_t end = line.find_first_of("[] \t", 2);
  return end != kNowhere && end > 2 && line.substr(end).starts_with("]:") ? end + 2 : 0;
}

std::size_t alert_marker(std::string_view line) {
  if (!line.starts_with("[!")) return 0;
  std::size_t at = 2;
  while (at < line.size() && (is_alpha(line[at]) || line[at] == '-')) ++at;
  if (at == 2 || at == line.size() || line[at] != ']') return 0;
  ++at;
  if (at < line.size() && (line[at] == '+' || line[at] == '-')) ++at;  // folded or not
  return at == line.size() || is_gap(line[at]) ? at : 0;
}

bool is_directive(std::string_view line) { return line.starts_with(":::"); }

std::optional<SourceRange> admonition_title(std::string_view line) {
  const std::string_view text = without_spaces_behind(line), sign = text.substr(0, 3);
  const bool is_tab = sign == "===";
  if (!is_tab && sign != "!!!" && sign != "???") return std::nullopt;
  std::size_t at = 3;
  if (at < text.size() && (text[at] == '+' || text[at] == '!')) ++at;  // open or chosen at first
  if (at >= text.size() || text[at] != ' ') return std::nullopt;
  std::size_t words = 0;
  bool is_kind = true;  // no words of a sentence
  while ((at = text.find_first_not_of(' ', at)) != kNowhere && text[at] != '"') {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const bool is_name = std::all_of(word.begin(), word.end(), [](char c) {
      return is_alpha(c) || is_digit(c) || c == '-' || c == '_';
    });
    if (!is_name) return std::nullopt;
    is_kind = is_kind && (words == 0 || word == "inline" || word == "end");
    ++words;
    at = end;
  }
  if (is_tab ? words > 0 : words == 0) return std::nullopt;
  if (at == kNowhere) {
    return is_tab || !is_kind ? std::nullopt : std::optional(SourceRange{text.size(), text.size()});
  }
  if (text.size() < at + 2 || text.back() != '"') return std::nullopt;
  return SourceRange{at + 1, text.size() - 1};
}

int html_block(std::string_view line) {
  if (!line.starts_with('<')) return 0;
  if (line.starts_with("<!--")) return 2;
  if (line.starts_with("<?")) return 3;
  if (line.starts_with("<![CDATA[")) return 5;
  if (line.size() > 2 && line[1] == '!' && is_alpha(line[2])) return 4;
  const bool closing = line.starts_with("</");
  std::size_t at = closing ? 2 : 1;
  const std::size_t begin = at;
  while (at < line.size() && at < 16 && (is_alpha(line[at]) || is_digit(line[at]))) ++at;
  const std::string tag = lowered(line.substr(begin, at - begin));
  const bool ends = at == line.size() || is_gap(line[at]) || line[at] == '>';
  if (!closing && ends &&
      (tag == "pre" || tag == "script" || tag == "style" || tag == "textarea")) {
    return 1;
  }
  if ((ends || line.substr(at).starts_with("/>")) &&
      std::binary_search(kHtmlBlockTags.begin(), kHtmlBlockTags.end(), tag)) {
    return 6;
  }
  const std::size_t whole = line[1] == '!' || line[1] == '?' ? 0 : html_tag(line);
  return whole > 0 && is_blank_line(line.substr(whole)) ? 7 : 0;
}

bool ends_html_block(int kind, std::string_view line) {
  switch (kind) {
    case 1: {
      const std::string low = lowered(line);
      for (const char* end : {"</pre>", "</script>", "</style>", "</textarea>"}) {
        if (low.find(end) != kNowhere) return true;
      }
      return false;
    }
    case 2:
      return line.find("-->") != kNowhere;
    case 3:
      return line.find("?>") != kNowhere;
    case 4:
      return line.find('>') != kNowhere;
    case 5:
      return line.find("]]>") != kNowhere;
    default:
      return is_blank_line(line);
  }
}

std::size_t html_tag(std::string_view text) {
  if (text.size() < 3 || text[0] != '<') return 0;
  const bool closing = text[1] == '/';
  std::size_t at = closing ? 2 : 1;
  if (!is_alpha(text[at])) return 0;
  while (at < text.size() && (is_alpha(text[at]) || is_digit(text[at]) || text[at] == '-')) ++at;
  if (!closing) {
    for (std::size_t next; (next = after_attribute(text, at)) != kNowhere;) at = next;
  }
  at = skip_gap(text, at);
  if (!closing && at < text.size() && text[at] == '/') ++at;
  return at < text.size() && text[at] == '>' ? at + 1 : 0;
}

std::size_t delimiter_columns(std::string_view line) {
  if (line.find_first_not_of("|:- \t") != kNowhere || line.find('-') == kNowhere) return 0;
  const std::vector<SourceRange> cells = row_cells(line);
  for (const SourceRange& cell : cells) {
    std::string_view dashes = line.substr(cell.begin, cell.end - cell.begin);
    if (dashes.starts_with(':')) dashes.remove_prefix(1);
    if (dashes.ends_with(':')) dashes.remove_suffix(1);
    if (dashes.empty() || dashes.find_first_not_of('-') != kNowhere) return 0;
  }
  return cells.size();
}

std::vector<SourceRange> row_cells(std::string_view line) {
  const std::size_t end = without_spaces_behind(line).size();
  std::vector<SourceRange> cells;
  std::size_t begin = std::min(line.find_first_not_of(" \t"), end);
  if (begin < end && line[begin] == '|') ++begin;
  for (std::size_t at = begin; at <= end; ++at) {
    if (at + 1 < end && line[at] == '\\') {
      ++at;
      continue;
    }
    if (at < end && line[at] != '|') continue;
    if (at >= end && begin >= end && !cells.empty()) break;  // behind the last bar
    SourceRange cell{begin, std::min(at, end)};
    while (cell.begin < cell.end && is_gap(line[cell.begin])) ++cell.begin;
    while (cell.end > cell.begin && is_gap(line[cell.end - 1])) --cell.end;
    cells.push_back(cell);
    begin = at + 1;
  }
  return cells;
}

std::size_t after_label(std::string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != '[') return kNowhere;
  bool blank = true;
  const std::size_t last = std::min(text.size(), at + kLongestLabel + 2);
  for (++at; at < last; ++at) {
    if (text[at] == '[') return kNowhere;
    if (text[at] == ']') return blank ? kNowhere : at + 1;
    if (!is_gap(text[at])) blank = false;
    if (text[at] == '\\' && at + 1 < last && is_ascii_punctuation(text[at + 1])) ++at;
  }
  return kNowhere;
}

std::size_t after_destination(std::string_view text, std::size_t at) {
  if (at < text.size() && text[at] == '<') {
    for (++at; at < text.size(); ++at) {
      if (text[at] == '>') return at + 1;
      if (text[at] == '<' || text[at] == '\n') return kNowhere;
      if (text[at] == '\\') ++at;
    }
    return kNowhere;
  }
  std::size_t depth = 0;
  for (; at < text.size() && static_cast<unsigned char>(text[at]) > ' ' && text[at] != 0x7F; ++at) {
    if (text[at] == '(' && ++depth > kDeepestParentheses) return kNowhere;
    if (text[at] == ')' && depth-- == 0) return at;
    if (text[at] == '\\' && at + 1 < text.size() && is_ascii_punctuation(text[at + 1])) ++at;
  }
  return depth == 0 ? at : kNowhere;
}

std::size_t after_title(std::string_view text, std::size_t at) {
  if (at >= text.size() || std::strchr("\"'(", text[at]) == nullptr) return kNowhere;
  const char opening = text[at], closing = opening == '(' ? ')' : opening;
  for (++at; at < text.size(); ++at) {
    if (text[at] == closing) return at + 1;
    if (text[at] == opening) return kNowhere;
    if (text[at] == '\\') ++at;
  }
  return kNowhere;
}

std::size_t link_definitions(std::string_view text, std::vector<std::string_view>& labels) {
  std::size_t done = 0;
  for (;;) {
    const std::size_t label = after_label(text, done);
    if (label == kNowhere || label >= text.size() || text[label] != ':') return done;
    const std::size_t destination = skip_gap(text, label + 1);
    const std::size_t end = after_destination(text, destination);
    if (end == kNowhere || end == destination) return done;
    const auto line_end = [&](std::size_t at) {
      at = std::min(text.find_first_not_of(" \t", at), text.size());
      return at == text.size() ? at : text[at] == '\n' ? at + 1 : kNowhere;
    };
    std::size_t next = line_end(end);
    const std::size_t title = skip_gap(text, end);
    const std::size_t title_end = title > end ? after_title(text, title) : kNowhere;
    if (title_end != kNowhere && line_end(title_end) != kNowhere) next = line_end(title_end);
    if (next == kNowhere) return done;
    labels.push_back(text.substr(done + 1, label - done - 2));
    done = next;
  }
}

}  // namespace kette

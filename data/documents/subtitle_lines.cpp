#include "data/documents/subtitle_lines.h"

#include <algorithm>
#include <map>
#include <vector>

#include "data/documents/html_tokens.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette {
namespace {

bool is_digit_of_time(char c) { return c >= '0' && c <= '9'; }

std::size_t skip_spaces(std::string_view line, std::size_t at) {
  return std::min(line.find_first_not_of(" \t", at), line.size());
}

/// Digits at a place, at most nine.
std::optional<std::int64_t> number_at(std::string_view line, std::size_t& at) {
  constexpr std::size_t kMost = 9;
  const std::size_t begin = at;
  std::int64_t number = 0;
  for (; at < line.size() && is_digit_of_time(line[at]) && at - begin < kMost; ++at) {
    number = number * 10 + (line[at] - '0');
  }
  return at == begin ? std::nullopt : std::optional(number);
}

std::optional<std::int64_t> time_at(std::string_view line, std::size_t& at) {
  std::int64_t seconds = 0;
  for (int part = 0; part < 3; ++part) {
    const std::optional<std::int64_t> number = number_at(line, at);
    if (!number || (part > 0 && *number > 59)) return std::nullopt;
    seconds = seconds * 60 + *number;
    if (at == line.size() || line[at] != ':') {
      if (part == 0) return std::nullopt;
      break;
    }
    if (part == 2) return std::nullopt;
    ++at;
  }
  std::int64_t thousandths = 0;
  if (at < line.size() && (line[at] == ',' || line[at] == '.')) {
    const std::size_t begin = ++at;
    const std::optional<std::int64_t> number = number_at(line, at);
    if (!number || at - begin > 3) return std::nullopt;
    thousandths = *number;
    for (std::size_t digits = at - begin; digits < 3; ++digits) thousandths *= 10;
  }
  return seconds * 1000 + thousandths;
}

/// Without tags and white space at its ends.
std::string_view bare(std::string_view line) {
  std::size_t begin = 0;
  for (;;) {
    begin = skip_spaces(line, begin);
    const std::size_t end = subtitle_tag(line, begin).end;
    if (end == 0) break;
    begin = end;
  }
  line = without_spaces_behind(line.substr(begin));
  while (line.ends_with('>') && line.rfind('<') != line.npos &&
         subtitle_tag(line, line.rfind('<')).end == line.size()) {
    line = without_spaces_behind(line.substr(0, line.rfind('<')));
  }
  return line;
}

/// Tags of a text without a partner.
struct Unpaired {
  std::int64_t opening = 0, closing = 0;
};
Unpaired unpaired_in(std::string_view text) {
  std::map<std::string, std::int64_t> open;
  Unpaired found;
  for (std::size_t at = 0; (at = text.find_first_of("<{", at)) != text.npos;) {
    const SubtitleTag tag = subtitle_tag(text, at);
    if (tag.opens) ++open[tag.name];
    if (tag.closes && --open[tag.name] < 0) {
      open[tag.name] = 0;
      ++found.closing;
    }
    at = std::max(tag.end, at + 1);
  }
  for (const auto& [name, count] : open) found.opening += count;
  return found;
}

/// The tag <v Name>; empty: none.
std::string_view voice_in(std::string_view tags) {
  for (std::size_t at = 0; (at = tags.find('<', at)) != tags.npos; ++at) {
    const SubtitleTag tag = subtitle_tag(tags, at);
    if (tag.opens && tag.name == "v") return tags.substr(at, tag.end - at);
  }
  return {};
}

char32_t last_character(std::string_view line) {
  std::size_t at = line.size() - 1;
  while (at > 0 && continues_utf8(line[at])) --at;
  return utf8_character(line, at).code_point;
}

}  // namespace

std::optional<CueTimes> cue_times(std::string_view line) {
  std::size_t at = skip_spaces(line, 0);
  const std::optional<std::int64_t> begin = time_at(line, at);
  at = skip_spaces(line, at);
  if (!begin || !line.substr(at).starts_with("-->")) return std::nullopt;
  at = skip_spaces(line, at + 3);
  const std::optional<std::int64_t> end = time_at(line, at);
  const bool whole = at == line.size() || line[at] == ' ' || line[at] == '\t';
  if (!end || !whole) return std::nullopt;
  return CueTimes{*begin, *end};
}

SubtitleTag subtitle_tag(std::string_view line, std::size_t at) {
  constexpr std::size_t kLongest = 500;
  if (at + 2 >= line.size()) return {};
  const std::string_view near = line.substr(at, kLongest);
  if (near[0] == '{') {
    const std::size_t end = near.find_first_of("{}", 1);
    const bool is_code = near[1] == '\\' || (near[2] == ':' && near[1] > '@');
    return end != near.npos && near[end] == '}' && is_code ? SubtitleTag{at + end + 1}
                                                           : SubtitleTag{};
  }
  if (near[0] != '<') return {};
  const std::size_t end = near.find_first_of("<>", 1);
  if (end == near.npos || near[end] == '<') return {};
  const bool closes = near[1] == '/';
  const char first = near[closes ? 2 : 1];
  const bool is_name = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
  if (!is_name && !is_digit_of_time(first)) return {};
  const std::size_t begin = closes ? 2 : 1;
  const std::size_t name_end = std::min(near.find_first_of(" \t.>", begin), end);
  return {at + end + 1, is_name && !closes, is_name && closes,
          lower_ascii(near.substr(begin, name_end - begin))};
}

CueText cue_text(std::string_view bytes, SourceRange cue) {
  constexpr std::string_view kGaps = " \t\r\n";
  struct Found {
    std::size_t begin;
    SubtitleTag tag;
  };
  std::vector<Found> before, behind;
  std::string_view text = bytes.substr(0, cue.end);
  SourceRange inner = cue;
  for (;;) {
    inner.begin = std::min(text.find_first_not_of(kGaps, inner.begin), text.size());
    const SubtitleTag tag =
        inner.begin < text.size() ? subtitle_tag(text, inner.begin) : SubtitleTag{};
    if (tag.end == 0) break;
    before.push_back({inner.begin, tag});
    inner.begin = tag.end;
  }
  for (;;) {
    const std::size_t last = text.find_last_not_of(kGaps);
    text = text.substr(0, last == text.npos ? inner.begin : std::max(inner.begin, last + 1));
    if (text.size() == inner.begin || (text.back() != '>' && text.back() != '}')) break;
    const std::size_t sign = text.substr(inner.begin).rfind(text.back() == '>' ? '<' : '{');
    if (sign == text.npos) break;
    const std::size_t begin = inner.begin + sign;
    const SubtitleTag tag = subtitle_tag(text, begin);
    if (tag.end != text.size()) break;
    behind.push_back({begin, tag});
    text = text.substr(0, begin);
  }
  inner.end = text.size();
  const std::size_t all_before = before.size(), all_behind = behind.size();
  // Tags at the ends that pair with one within belong to the text.
  Unpaired unpaired = unpaired_in(inner.of(bytes));
  for (; unpaired.closing > 0 && !before.empty(); before.pop_back()) {
    inner.begin = before.back().begin;
    unpaired.closing -= before.back().tag.opens ? 1 : 0;
  }
  for (; unpaired.opening > 0 && !behind.empty(); behind.pop_back()) {
    inner.end = behind.back().tag.end;
    unpaired.opening -= behind.back().tag.closes ? 1 : 0;
  }
  const Unpaired rest = unpaired_in(inner.of(bytes));
  if (rest.opening + rest.closing > 0) return {cue, {}, all_before == 0, all_behind == 0};
  return {inner, voice_in(bytes.substr(cue.begin, inner.begin - cue.begin)),
          before.size() == all_before, behind.size() == all_behind};
}

std::size_t speech_begin(std::string_view line) {
  std::size_t at = 0;
  for (;;) {
    at = skip_spaces(line, at);
    const std::size_t end = subtitle_tag(line, at).end;
    if (end == 0) break;
    at = end;
  }
  for (const std::string_view sign : {"-", "\u2010", "\u2013", "\u2014"}) {
    if (!line.substr(at).starts_with(sign)) continue;
    const std::size_t text = skip_spaces(line, at + sign.size());
    const bool is_sign = text == line.size() || line[text] == '-' || is_digit_of_time(line[text]);
    return is_sign ? 0 : text;
  }
  return 0;
}

bool ends_sentence(std::string_view line) {
  line = bare(line);
  // An ellipsis is not an end: the begin of the next cue decides.
  if (line.empty() || line.ends_with("...")) return line.empty();
  constexpr std::u32string_view kEnds =
      U".!?:;\"'-)]\u2013\u2014\u201D\u00BB\u266A\u266B\u3002\uFF01\uFF1F#*";
  return kEnds.find(last_character(line)) != kEnds.npos;
}

bool ends_in_comma(std::string_view line) { return bare(line).ends_with(','); }

bool goes_on(std::string_view line) {
  line = bare(line);
  if (line.starts_with("...") || line.starts_with("\u2026")) return true;
  return !line.empty() && is_lower_case(utf8_character(line, 0).code_point);
}

}  // namespace kette

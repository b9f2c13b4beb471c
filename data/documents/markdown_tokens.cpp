#include "data/documents/markdown_tokens.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include "data/documents/html_tokens.h"
#include "data/documents/markdown_blocks.h"
#include "data/documents/markdown_lines.h"
#include "data/documents/markdown_spans.h"
#include "data/documents/source_lines.h"

namespace kette {
namespace {

using Token = MarkdownTokens::Token;

/// A run of '*', '_' or '~' that may open or close; emphasis takes one or two from its ends.
struct Delimiter {
  std::size_t begin, end;
  char character;
  Flanks flanks;
  std::size_t length;  ///< original
  std::size_t before, behind;
};

struct Bracket {
  std::size_t begin;
  bool image;
  std::size_t tokens, delimiters;  ///< how many there were
};

/// Reads the lines joined by '\n': the algorithm of the specification (spec, appendix "A parsing
/// strategy").
class InlineReader {
 public:
  InlineReader(std::string_view text, const std::set<std::string>& labels)
      : text_(text), labels_(labels) {}

  MarkdownTokens read();

 private:
  void add(Token::Kind kind, std::size_t end, std::size_t id = 0) {
    found_.tokens.push_back({kind, at_, end, id});
    at_ = end;
  }
  bool stands(std::size_t end) {
    if (end == kNowhere) return false;
    add(Token::Kind::stands, end);
    return true;
  }
  bool read_special();
  bool read_escape();
  bool read_break();
  bool read_code();
  bool read_formula();
  bool read_angle();
  bool read_entity();
  void read_delimiters();
  bool read_opening_bracket();
  void read_closing_bracket();
  std::size_t after_target(const Bracket& bracket, std::string& label) const;
  std::size_t closing_run(std::size_t length);
  std::size_t find_once(std::string_view what, std::size_t from);
  void pair_emphasis(std::size_t first);
  std::size_t opener_of(const Delimiter& closer, std::size_t first, std::size_t bottom) const;

  std::string_view text_;
  const std::set<std::string>& labels_;
  MarkdownTokens found_;
  std::size_t at_ = 0, pairs_ = 0;
  std::vector<Delimiter> delimiters_;
  std::vector<Bracket> brackets_;
  std::size_t no_links_below_ = 0;  // of the brackets
  std::size_t newest_bracket_ = 0;  // of the last '[', even if already closed
  std::map<std::string, std::size_t, std::less<>> sought_;  // see find_once()
  std::map<std::size_t, std::vector<std::size_t>> runs_;    // of backticks, by their length
};

MarkdownTokens InlineReader::read() {
  while (at_ < text_.size()) {
    if (!read_special()) ++at_;
  }
  pair_emphasis(0);
  std::sort(found_.tokens.begin(), found_.tokens.end(),
            [](const Token& a, const Token& b) { return a.begin < b.begin; });
  return std::move(found_);
}

/// False: the character here is text.
bool InlineReader::read_special() {
  switch (text_[at_]) {
    case '\\':
      return read_escape();
    case '\n':
      return read_break();
    case '`':
      return read_code();
    case '$':
      return read_formula();
    case '<':
      return read_angle();
    case '&':
      return read_entity();
    case '*':
    case '_':
    case '~':
      read_delimiters();
      return true;
    case '!':
    case '[':
      return read_opening_bracket();
    case ']':
      read_closing_bracket();
      return true;
    case 'h':
    case 'f':
    case 'w':
      return brackets_.empty() && stands(after_bare_address(text_, at_));
    default:
      return false;
  }
}

bool InlineReader::read_escape() {
  if (at_ + 1 == text_.size()) return false;
  if (text_[at_ + 1] == '\n') {
    add(Token::Kind::breaks, at_ + 2);
    return true;
  }
  if (!is_markdown_punctuation(text_[at_ + 1])) return false;
  found_.spelled.emplace_back(1, text_[at_ + 1]);
  add(Token::Kind::spelled, at_ + 2, found_.spelled.size() - 1);
  return true;
}

bool InlineReader::read_break() {
  const std::size_t behind = text_.substr(0, at_).find_last_not_of(" \t");
  std::size_t begin = behind == kNowhere ? 0 : behind + 1;
  if (!found_.tokens.empty()) begin = std::max(begin, std::min(found_.tokens.back().end, at_));
  const std::size_t end = at_ + 1;
  at_ = begin;
  add(Token::Kind::breaks, end);
  return true;
}

/// The next run of exactly `length` backticks; the places of all runs are found once.
std::size_t InlineReader::closing_run(std::size_t length) {
  if (runs_.empty()) {
    for (std::size_t at = text_.find('`'); at != kNowhere;) {
      const std::size_t end = std::min(text_.find_first_not_of('`', at), text_.size());
      runs_[end - at].push_back(at);
      at = text_.find('`', end);
    }
  }
  const std::vector<std::size_t>& places = runs_[length];
  const auto next = std::upper_bound(places.begin(), places.end(), at_);
  return next == places.end() ? kNowhere : *next;
}

bool InlineReader::read_code() {
  const std::size_t behind = std::min(text_.find_first_not_of('`', at_), text_.size());
  const std::size_t length = behind - at_;
  const std::size_t closing = closing_run(length);
  if (closing == kNowhere) {
    at_ = behind;
    return true;
  }
  return stands(closing + length);
}

/// find() that remembers results, so that the text is not searched twice for the same string.
std::size_t InlineReader::find_once(std::string_view what, std::size_t from) {
  const auto known = sought_.find(what);
  if (known != sought_.end() && known->second >= from) return known->second;
  return sought_[std::string(what)] = text_.find(what, from);
}

/// $$...$$, or $...$ without white space just inside and words just outside: not prices.
bool InlineReader::read_formula() {
  const auto is_word = [&](std::size_t i) {
    const char c = i < text_.size() ? text_[i] : ' ';
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const auto is_gap = [&](std::size_t i) {
    return i >= text_.size() || text_[i] == ' ' || text_[i] == '\n' || text_[i] == '\t';
  };
  if (text_.substr(at_).starts_with("$$")) {
    const std::size_t closing = find_once("$$", at_ + 2);
    return closing != kNowhere && closing > at_ + 2 && stands(closing + 2);
  }
  if (is_gap(at_ + 1) || (at_ > 0 && is_word(at_ - 1))) return false;
  const std::size_t closing = find_once("$", at_ + 1);
  if (closing == kNowhere || closing == at_ + 1 || is_gap(closing - 1) || is_word(closing + 1)) {
    return false;
  }
  return stands(closing + 1);
}

bool InlineReader::read_angle() {
  if (stands(after_autolink(text_, at_))) return true;
  const std::string_view rest = text_.substr(at_);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRaw = {
      {{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}, {"<!", ">"}}};
  for (const auto& [begin, end] : kRaw) {
    if (!rest.starts_with(begin)) continue;
    const std::size_t found = find_once(end, at_ + begin.size());
    return found != kNowhere && stands(found + end.size());
  }
  const std::size_t tag = html_tag(rest);
  if (tag == 0) return false;
  const bool is_break = html_token(rest.substr(0, tag), 0).name == "br";
  add(is_break ? Token::Kind::breaks : Token::Kind::stands, at_ + tag);
  return true;
}

bool InlineReader::read_entity() {
  MarkdownEntity entity = entity_at(text_, at_);
  if (entity.end == kNowhere) return false;
  if (entity.plain.empty()) return stands(entity.end);
  found_.spelled.push_back(std::move(entity.plain));
  add(Token::Kind::spelled, entity.end, found_.spelled.size() - 1);
  return true;
}

void InlineReader::read_delimiters() {
  const char character = text_[at_];
  const std::size_t end = std::min(text_.find_first_not_of(character, at_), text_.size());
  const std::size_t length = end - at_;
  Flanks flanks = flanks_of(text_, at_, end);
  if (character == '~' && length > 2) flanks = {};
  if (flanks.can_open || flanks.can_close) {
    delimiters_.push_back({at_, end, character, flanks, length, kNowhere, kNowhere});
  }
  at_ = end;
}

bool InlineReader::read_opening_bracket() {
  const bool image = text_[at_] == '!';
  if (image && (at_ + 1 == text_.size() || text_[at_ + 1] != '[')) return false;
  if (!image && stands(after_footnote_reference(text_, at_))) return true;
  brackets_.push_back({at_, image, found_.tokens.size(), delimiters_.size()});
  at_ += image ? 2 : 1;
  newest_bracket_ = at_;
  return true;
}

void InlineReader::read_closing_bracket() {
  const std::size_t closing = at_++;
  if (brackets_.empty()) return;
  const Bracket bracket = brackets_.back();
  brackets_.pop_back();
  const bool in_link = brackets_.size() < no_links_below_;
  no_links_below_ = std::min(no_links_below_, brackets_.size());
  if (in_link && !bracket.image) return;
  std::string label;
  const std::size_t end = after_target(bracket, label);
  if (end == kNowhere) return;
  if (bracket.image) {
    found_.tokens.resize(bracket.tokens);
    delimiters_.resize(bracket.delimiters);
    at_ = bracket.begin;
    stands(end);
    return;
  }
  pair_emphasis(bracket.delimiters);
  const std::size_t pair = pairs_++;
  found_.tokens.push_back({Token::Kind::opens, bracket.begin, bracket.begin + 1, pair});
  found_.tokens.push_back({Token::Kind::closes, closing, end, pair});
  if (!label.empty()) found_.references[pair] = std::move(label);
  at_ = end;
  no_links_below_ = brackets_.size();  // links do not nest
}

/// The place after "](destination 'title')", "][label]", "][]" or "]", from the byte after the
/// bracket on. For the last two the label must be written.
std::size_t InlineReader::after_target(const Bracket& bracket, std::string& label) const {
  const auto skip = [&](std::size_t at) {
    return std::min(text_.find_first_not_of(" \t\n", at), text_.size());
  };
  if (at_ < text_.size() && text_[at_] == '(') {
    std::size_t at = after_destination(text_, skip(at_ + 1));
    if (at != kNowhere) {
      const std::size_t title = skip(at);
      const std::size_t title_end = title > at ? after_title(text_, title) : kNowhere;
      at = skip(title_end == kNowhere ? title : title_end);
      if (at < text_.size() && text_[at] == ')') return at + 1;
    }
  }
  const std::size_t full = after_label(text_, at_);
  if (full != kNowhere) {
    const bool known = labels_.contains(label_key(text_.substr(at_ + 1, full - at_ - 2)));
    if (known) return full;
  }
  const std::size_t begin = bracket.begin + (bracket.image ? 1 : 0);
  const bool holds_bracket = newest_bracket_ > begin + 1;
  if (full != kNowhere || holds_bracket || after_label(text_, begin) != at_) return kNowhere;
  label = text_.substr(begin + 1, at_ - begin - 2);
  if (!labels_.contains(label_key(label))) return kNowhere;
  std::replace(label.begin(), label.end(), '\n', ' ');
  return text_.substr(at_).starts_with("[]") ? at_ + 2 : at_;
}

/// The nearest run that `closer` closes; kNowhere: none above the bottom.
std::size_t InlineReader::opener_of(const Delimiter& closer, std::size_t first,
                                    std::size_t bottom) const {
  for (std::size_t i = closer.before; i != kNowhere && i >= first && i >= bottom;
       i = delimiters_[i].before) {
    const Delimiter& opener = delimiters_[i];
    if (opener.character != closer.character || !opener.flanks.can_open) continue;
    if (closer.character == '~') {
      if (opener.length == closer.length) return i;
      continue;
    }
    const bool both = opener.flanks.can_close || closer.flanks.can_open;
    const bool thirds = opener.length % 3 == 0 && closer.length % 3 == 0;
    if (!both || thirds || (opener.length + closer.length) % 3 != 0) return i;
  }
  return kNowhere;
}

/// Pairs the runs from `first` on and removes them.
void InlineReader::pair_emphasis(std::size_t first) {
  const std::size_t count = delimiters_.size();
  for (std::size_t i = first; i < count; ++i) {
    delimiters_[i].before = i > first ? i - 1 : kNowhere;
    delimiters_[i].behind = i + 1 < count ? i + 1 : kNowhere;
  }
  const auto remove = [&](std::size_t i) {
    const Delimiter& gone = delimiters_[i];
    if (gone.before != kNowhere) delimiters_[gone.before].behind = gone.behind;
    if (gone.behind != kNowhere) delimiters_[gone.behind].before = gone.before;
  };
  std::map<std::array<std::size_t, 3>, std::size_t> bottoms;  // below which there is no opener
  for (std::size_t i = first; i < count;) {
    Delimiter& closer = delimiters_[i];
    if (!closer.flanks.can_close) {
      i = closer.behind;
      continue;
    }
    const bool tilde = closer.character == '~';
    const std::array<std::size_t, 3> key = {static_cast<std::size_t>(closer.character),
                                            closer.flanks.can_open ? 1u : 0u,
                                            tilde ? closer.length : closer.length % 3};
    const std::size_t opener_at = opener_of(closer, first, bottoms[key]);
    if (opener_at == kNowhere) {
      bottoms[key] = i;
      const std::size_t behind = closer.behind;
      if (!closer.flanks.can_open) remove(i);
      i = behind;
      continue;
    }
    Delimiter& opener = delimiters_[opener_at];
    for (std::size_t between = opener.behind; between != i; between = delimiters_[between].behind) {
      remove(between);
    }
    const std::size_t opener_left = opener.end - opener.begin,
                      closer_left = closer.end - closer.begin;
    const std::size_t taken = tilde ? closer.length : opener_left > 1 && closer_left > 1 ? 2 : 1;
    const std::size_t pair = pairs_++;
    found_.tokens.push_back({Token::Kind::opens, opener.end - taken, opener.end, pair});
    found_.tokens.push_back({Token::Kind::closes, closer.begin, closer.begin + taken, pair});
    opener.end -= taken;
    closer.begin += taken;
    if (opener.begin == opener.end) remove(opener_at);
    if (closer.begin == closer.end) {
      const std::size_t behind = closer.behind;
      remove(i);
      i = behind;
    }
  }
  delimiters_.resize(first);
}

}  // namespace

MarkdownTokens read_markdown_tokens(std::string_view text, const std::set<std::string>& labels) {
  return InlineReader(text, labels).read();
}

}  // namespace kette

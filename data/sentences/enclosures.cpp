#include "data/sentences/enclosures.h"

#include <algorithm>

#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette::sentences {
namespace {

/// A longer enclosure is probably an unclosed mark, or contains whole sentences.
constexpr std::size_t kLongest = 400;  // bytes
/// A short quotation in a sentence is part of it: he said, "No. I will not." A longer one is cut as
/// other text.
constexpr std::size_t kShortQuote = 60;

/// Whether `mark` may close what `opening` opens.
bool closes_with(char32_t opening, std::string_view mark) {
  switch (opening) {
    case U'(':
      return mark == ")";
    case U'[':
      return mark == "]";
    case U'"':
      return mark == "\"";
    case 0x201C:  // “English”
      return mark == "\u201D";
    case 0x201E:  // „German“
      return mark == "\u201C" || mark == "\u201D" || mark == "\"";
    case 0xAB:
      return mark == "\u00BB";
    case 0xBB:
      return mark == "\u00AB";
    default:
      return false;
  }
}

/// After white space these open, and so the earlier one was never closed.
bool may_open(std::string_view mark) {
  return mark == "\"" || mark == "\u201C" || mark == "\u201D";
}

bool is_white_byte(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

}  // namespace

Enclosures::Enclosures(std::string_view text)
    : text_(text),
      closers_{{{")"}, {"]"}, {"\""}, {"\u201C"}, {"\u201D"}, {"\u00BB"}, {"\u00AB"}}} {}

std::size_t Enclosures::closing(char32_t opening, std::size_t from) {
  std::size_t nearest = std::string_view::npos;
  for (Closer& closer : closers_) {
    if (!closes_with(opening, closer.mark)) continue;
    // Never from a place that was searched before: all searches together read the text once.
    if (!closer.begun || (closer.at != std::string_view::npos && closer.at < from)) {
      closer.at = text_.find(closer.mark, from);
      closer.begun = true;
    }
    if (closer.at == std::string_view::npos) continue;
    const bool opens =
        may_open(closer.mark) && closer.at > from && is_white_byte(text_[closer.at - 1]);
    if (!opens) nearest = std::min(nearest, closer.at + closer.mark.size());
  }
  return nearest;
}

bool Enclosures::goes_on(std::size_t closed) const {
  if (closed == text_.size()) return false;
  const Utf8Character c = utf8_character(text_, closed);
  if (c.code_point == U',' || c.code_point == U';' || is_letter(c.code_point)) return true;
  std::size_t at = closed;
  while (at < text_.size() && at < closed + 4 && is_white_byte(text_[at])) ++at;
  return at > closed && at < text_.size() && is_lower_case(utf8_character(text_, at).code_point);
}

void Enclosures::enter(Word word, bool first) {
  for (std::size_t at = word.begin; at < word.end;) {
    const Utf8Character c = utf8_character(text_, at);
    const bool bracket = c.code_point == U'(' || c.code_point == U'[';
    if (!bracket && !is_opening(c.code_point) && !is_quotation_mark(c.code_point)) break;
    at += c.bytes;
    const std::size_t closed = closing(c.code_point, at);
    if (closed == std::string_view::npos || closed - at > kLongest) continue;
    const bool within = !first && (bracket || closed - at < kShortQuote);
    if (within || goes_on(closed)) held_until_ = std::max(held_until_, closed);
  }
}

}  // namespace kette::sentences

#include "data/sentences/placeholders.h"

#include <algorithm>

#include "data/sentences/ascii.h"

namespace kette::sentences {
namespace {

constexpr std::size_t kLongestName = 64;

bool is_name_start(char c) { return is_alpha(c) || c == '_'; }
bool is_name(char c) { return is_name_start(c) || is_digit(c); }

/// A place in a text; after the end it reads NULs.
class Reader {
 public:
  Reader(std::string_view text, std::size_t at) : text_(text), at_(at) {}
  std::size_t at() const { return at_; }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  /// Takes characters of a kind, at most as many as a name may have.
  template <class Is>
  std::size_t take_all(const Is& is) {
    std::size_t taken = 0;
    for (; taken < kLongestName && at_ < text_.size() && is(peek()); ++taken) ++at_;
    return taken;
  }
  void blanks() {
    take_all([](char c) { return c == ' '; });
  }
  /// x, 0, user.name, items[0], first-name
  bool name() {
    if (!is_name(peek())) return false;
    take_all([](char c) { return is_name(c) || is_one_of(c, ".-[]"); });
    return true;
  }

 private:
  std::string_view text_;
  std::size_t at_;
};

/// The place after the brace that closes the one at `at`; `at` if none does within `longest` bytes.
std::size_t balanced_end(std::string_view text, std::size_t at, std::size_t longest) {
  int depth = 0;
  const std::size_t most = std::min(text.size(), at + longest);
  for (std::size_t i = at; i < most; ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i + 1;
  }
  return at;
}

/// {x, number} and the like of ICU's MessageFormat, after the comma. Skips nested messages.
std::size_t icu_end(std::string_view text, std::size_t begin, Reader in) {
  in.blanks();
  for (const std::string_view kind : {"plural", "selectordinal", "select", "choice"}) {
    Reader after = in;
    if (!after.take(kind)) continue;
    after.blanks();
    if (after.peek() == ',') return balanced_end(text, begin, kLongestPlaceholder);
  }
  for (const std::string_view kind :
       {"number", "date", "time", "spellout", "ordinal", "duration"}) {
    Reader after = in;
    if (!after.take(kind) || is_name(after.peek())) continue;
    after.take_all([](char c) { return c != '{' && c != '}' && c != '\n'; });
    if (after.take('}')) return after.at();
  }
  return begin;
}

/// {x}, {}, {0:>5}, {x!r}, { x }, {{ x | upper }}
std::size_t brace_end(std::string_view text, std::size_t begin) {
  Reader in(text, begin);
  std::size_t braces = 0;
  while (braces < 4 && in.take('{')) ++braces;
  if (braces > 3) return begin;
  if (braces > 1) {
    const std::size_t filled =
        in.take_all([](char c) { return c != '{' && c != '}' && c != '\n' && c != '\0'; });
    if (filled == 0) return begin;
    return in.take(std::string_view("}}}").substr(0, braces)) ? in.at() : begin;
  }
  if (in.take('}')) return in.at();
  in.blanks();
  if (!in.name()) return begin;
  in.blanks();
  if (in.take(',')) return icu_end(text, begin, in);
  if (in.take('!')) in.take_all(is_alpha);
  if (in.take(':')) in.take_all([](char c) { return c > ' ' && c != '{' && c != '}'; });
  return in.take('}') ? in.at() : begin;
}

/// $X, $x.y, $x|, ${x}, $(x); not $5, US$.
std::size_t dollar_end(std::string_view text, std::size_t begin) {
  Reader in(text, begin + 1);
  if (in.peek() == '{') {
    const std::size_t end = balanced_end(text, in.at(), kLongestName);
    return end > in.at() + 2 ? end : begin;
  }
  if (in.take('(')) return in.name() && in.take(')') ? in.at() : begin;
  if (!is_name_start(in.peek()) || (begin > 0 && is_name(text[begin - 1]))) return begin;
  in.take_all(is_name);
  while (in.peek() == '.' && is_name_start(in.peek(1))) {
    in.take('.');
    in.take_all(is_name);
  }
  if (is_name(in.peek())) return begin;  // too long for a name
  in.take('|');
  return in.at();
}

/// A conversion of printf and the like, after the percent sign. With a space as flag it is text.
std::size_t conversion_end(std::string_view text, std::size_t begin) {
  Reader in(text, begin + 1);
  const bool is_behind_number = begin > 0 && is_digit(text[begin - 1]);
  bool is_numbered = false;
  {
    Reader number = in;
    is_numbered = number.take_all(is_digit) > 0 && number.take('$');
    if (is_numbered) in = number;
  }
  if (is_behind_number && !is_numbered) return begin;
  in.take_all([](char c) { return is_one_of(c, "-+#0'"); });
  if (!in.take('*')) in.take_all(is_digit);
  if (in.take('.') && !in.take('*')) in.take_all(is_digit);
  in.take_all([](char c) { return is_one_of(c, "hlLqjzt"); });
  if (!is_one_of(in.peek(), "diufFeEgGxXoscp@n") || in.peek() == '\0') return begin;
  in.take(in.peek());
  // %dx%d, %dMB; but "%incl. VAT" is text.
  std::size_t letters = 0;
  while (letters < 3 && is_alpha(in.peek(letters))) ++letters;
  const bool is_byte = (static_cast<unsigned char>(in.peek(letters)) & 0x80) != 0;
  return letters < 3 && !is_byte ? in.at() : begin;
}

/// %Y-%m-%d %H:%M: several such conversions together.
std::size_t date_end(std::string_view text, std::size_t begin) {
  Reader in(text, begin);
  std::size_t parts = 0, end = begin;
  while (in.take('%') && is_one_of(in.peek(), "YymdHIMSBbAajpZz") && in.take(in.peek()) &&
         !is_name(in.peek()) && end - begin < kLongestName) {
    ++parts;
    end = in.at();
    in.take_all([](char c) { return is_one_of(c, "-/:. "); });
  }
  return parts >= 2 ? end : begin;
}

std::size_t percent_end(std::string_view text, std::size_t begin) {
  Reader in(text, begin + 1);
  if (in.take('%')) return in.at();
  if (in.peek() == '{') {
    const std::size_t end = brace_end(text, in.at());
    return end > in.at() + 2 ? end : begin;
  }
  if (in.take('(')) {  // %(x)s, %(x).2f
    if (!in.name() || !in.take(')')) return begin;
    in.take_all([](char c) { return is_one_of(c, "-+#0.123456789"); });
    return is_alpha(in.peek()) && in.take(in.peek()) ? in.at() : begin;
  }
  if (in.take('<')) {
    if (!in.name() || !in.take('>')) return begin;
    in.take_all([](char c) { return is_one_of(c, "-+#0.123456789"); });
    if (is_one_of(in.peek(), "dfgsx") && in.peek() != '\0') in.take(in.peek());
    return in.at();
  }
  if (const std::size_t end = date_end(text, begin); end != begin) return end;
  if (is_upper(in.peek())) {  // %PATH%
    Reader variable = in;
    const std::size_t letters =
        variable.take_all([](char c) { return is_upper(c) || is_digit(c) || c == '_'; });
    if (letters > 1 && variable.take('%') && !is_alpha(variable.peek())) return variable.at();
  }
  return conversion_end(text, begin);
}

/// <<x>>; but "<<Bonjour>>" and "<<oui et non>>" are quotes.
std::size_t angle_end(std::string_view text, std::size_t begin) {
  Reader in(text, begin);
  if (!in.take("<<")) return begin;
  const std::size_t name = in.at();
  if (!is_name_start(in.peek())) return begin;
  in.take_all([](char c) { return is_name(c) || is_one_of(c, ".-"); });
  const std::string_view inside = text.substr(name, in.at() - name);
  const bool is_capitalised = inside.size() > 1 && is_upper(inside[0]) &&
                              std::all_of(inside.begin() + 1, inside.end(), is_lower);
  return !is_capitalised && in.take(">>") ? in.at() : begin;
}

/// __NAME__
std::size_t underscore_end(std::string_view text, std::size_t begin) {
  Reader in(text, begin);
  if ((begin > 0 && is_name(text[begin - 1])) || !in.take("__") || !is_upper(in.peek()))
    return begin;
  in.take_all([](char c) { return is_upper(c) || is_digit(c) || c == '_'; });
  const std::string_view all = text.substr(begin, in.at() - begin);
  return all.size() >= 5 && all.ends_with("__") && !is_name(in.peek()) ? in.at() : begin;
}

}  // namespace

std::size_t placeholder_end(std::string_view text, std::size_t at) {
  switch (text[at]) {
    case '{':
      return brace_end(text, at);
    case '$':
      return dollar_end(text, at);
    case '%':
      return percent_end(text, at);
    case '<':
      return angle_end(text, at);
    case '_':
      return underscore_end(text, at);
    case '#':
    case '@': {
      if (at + 1 == text.size() || text[at + 1] != '{') return at;
      const std::size_t end = brace_end(text, at + 1);
      return end > at + 3 ? end : at;
    }
    default:
      return at;
  }
}

}  // namespace kette::sentences

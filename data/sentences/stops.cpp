#include "data/sentences/stops.h"

#include <algorithm>
#include <optional>

#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette::sentences {
namespace {

constexpr std::size_t kLongestAbbreviation = 32;  // bytes; longer words are not checked

std::string lowered(std::string_view word) { return encode_utf8(lower(decode_utf8(word))); }

/// Pieces of one or two letters, joined by stops or hyphens: U.S, Ph.D, J.-C, a.m
bool is_dotted(std::u32string_view word) {
  std::size_t letters = 0, stops = 0;
  for (const char32_t c : word) {
    if (is_letter(c)) {
      if (++letters > 2) return false;
    } else if (c == U'.') {
      if (letters == 0) return false;
      letters = 0;
      ++stops;
    } else if (c == U'-' && letters == 0 && stops > 0) {
      continue;
    } else {
      return false;
    }
  }
  return stops > 0 && letters > 0;
}

/// Only letters, without a vowel and not all capitals: "Bsp", "Sgt", but not "TV".
bool has_no_vowel(std::u32string_view word) {
  bool has_lower = false;
  for (const char32_t c : word) {
    if (c >= 0x80 || !is_letter(c)) return false;
    if (std::u32string_view(U"aeiouyAEIOUY").find(c) != std::u32string_view::npos) return false;
    has_lower |= is_lower_case(c);
  }
  return has_lower && word.size() > 1;
}

std::optional<Stop> look_up(const Language& language, const std::string& word) {
  const auto& known = language.abbreviations;
  if (const auto found = known.find(word); found != known.end()) return found->second;
  if (const auto found = known.find("=" + word); found != known.end()) return found->second;
  if (word.size() == utf8_length(word.front())) return std::nullopt;  // "P." is not "p."
  const std::string small = lowered(word);
  if (const auto found = known.find(small); found != known.end()) return found->second;
  for (const auto& [ending, stop] : language.endings) {
    if (small.size() > ending.size() && small.ends_with(ending)) return stop;
  }
  return std::nullopt;
}

/// "B" of "z. B." joined with the word before it: "z.B". Empty if that is not an abbreviation.
std::string with_before(std::string_view text, std::string_view word, Word before,
                        Word before_that) {
  std::string joined(word);
  for (const Word earlier : {before, before_that}) {
    const std::size_t bytes = earlier.end - earlier.begin;
    if (bytes < 2 || bytes > 8 || text[earlier.end - 1] != '.') break;
    std::size_t begin = earlier.begin;
    while (begin < earlier.end && (text[begin] == '(' || text[begin] == '"')) ++begin;
    if (begin + 1 >= earlier.end) break;
    joined.insert(0, text.substr(begin, earlier.end - begin));
  }
  return joined == word ? std::string() : joined;
}

std::optional<Stop> abbreviation(const Language& language, const Around& around,
                                 std::string_view core) {
  // The longest first: "i. d. R." before "d. R.", and that before "R."
  for (const Word earliest : {around.before_that, Word{}}) {
    const std::string joined = with_before(around.text, core, around.before, earliest);
    if (joined.empty()) continue;
    if (const auto found = look_up(language, joined)) return found;
  }
  if (const auto found = look_up(language, std::string(core))) return found;
  for (const std::string_view mark : {"-", "'", "\u2019"}) {  // Tel.-Nr., l'art.
    const std::size_t at = core.rfind(mark);
    if (at == std::string_view::npos || at + mark.size() >= core.size()) continue;
    const auto found = look_up(language, std::string(core.substr(at + mark.size())));
    if (found) return found;
  }
  const std::u32string decoded = decode_utf8(core);
  if (is_dotted(decoded)) return Stop::may_end;
  if (has_no_vowel(decoded)) return Stop::may_end;
  return std::nullopt;
}

bool all(std::string_view word, std::string_view allowed) {
  return !word.empty() && word.find_first_not_of(allowed) == std::string_view::npos;
}
bool is_plain_number(std::string_view word) { return all(word, "0123456789"); }
bool is_roman(std::string_view word) { return word.size() > 1 && all(word, "IVXLC"); }

/// "am 3. Mai", "die 2. Sitzung", "der 100. Geburtstag", but "im Jahr 1990. Deutschland".
bool counts(const Language& language, const Around& around, std::string_view number) {
  if (around.word.marks.closed) return false;
  if (is_starter(language, around.text, around.next, around.start)) return false;
  const std::string before =
      lowered_letters(around.text, start_of(around.text, around.before).at, around.before.end);
  if (language.before_ordinals.count(before) > 0) return true;
  constexpr std::size_t kDigitsOfYears = 4;
  return !is_plain_number(number) || number.size() < kDigitsOfYears;
}

/// An initial, or a name: "Vitamin C. The". Only a following function word ends the sentence.
bool letter_ends(const Language& language, const Around& around, std::string_view letter) {
  if (around.word.marks.closed) return true;
  // "you and I. Did", but "Albert I. Jones"
  const bool is_pronoun = language.name == "en" && letter == "I";
  if (is_pronoun && start_of(around.text, around.before).lead == Lead::lower) return true;
  return is_starter(language, around.text, around.next, around.start);
}

}  // namespace

std::string lowered_letters(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t at = begin;
  while (at < end && at - begin <= kLongestAbbreviation) {
    const Utf8Character c = utf8_character(text, at);
    if (!is_letter(c.code_point)) break;
    at += c.bytes;
  }
  if (at - begin > kLongestAbbreviation) return {};
  return lowered(text.substr(begin, at - begin));
}

bool is_starter(const Language& language, std::string_view text, Word word, WordStart start) {
  if (start.lead != Lead::capital) return false;
  const std::string letters = lowered_letters(text, start.at, word.end);
  if (language.starters.count(letters) == 0) return false;
  // "K. He, X. Zhang" and "U.S. A. Smith" are names.
  constexpr std::size_t kShort = 3;
  const std::size_t behind = start.at + letters.size();
  if (behind >= word.end || letters.size() > kShort) return true;
  return text[behind] != '.' && text[behind] != ',';
}

bool stop_ends(const Language& language, const Around& around) {
  const WordEnd& word = around.word;
  const std::string_view core = around.text.substr(word.begin, word.end - word.begin);
  if (core.empty()) return false;
  if (core.size() > kLongestAbbreviation) return true;
  const bool before_digit = around.start.lead == Lead::digit;
  const std::size_t letter = utf8_length(core.front());
  constexpr std::size_t kDigitsOfItems = 3;
  const bool is_number = is_plain_number(core);
  if (around.first && (letter == core.size() || (is_number && core.size() <= kDigitsOfItems))) {
    return false;  // the number of a list item
  }
  if (language.has_ordinals() && (is_number || is_roman(core))) {
    return !counts(language, around, core);
  }
  if (is_number) return true;
  if (const auto stop = abbreviation(language, around, core)) {
    if (*stop == Stop::goes_on || (word.marks.bracket_closed && *stop != Stop::ends)) return false;
    if (*stop == Stop::before_number) return !before_digit;
    if (*stop == Stop::may_end) {
      return is_starter(language, around.text, around.next, around.start);
    }
    return true;
  }
  if (letter == core.size() && is_letter(utf8_character(core, 0).code_point)) {
    return !before_digit && letter_ends(language, around, core);
  }
  return true;
}

}  // namespace kette::sentences

#include "data/files/unicode.h"

#include <utf8proc.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "tensor/error.h"

namespace kette {
namespace {

constexpr char32_t kCapitalSigma = 0x03A3;
constexpr char32_t kSmallSigma = 0x03C3;
constexpr char32_t kFinalSigma = 0x03C2;
constexpr char32_t kCapitalIWithDot = 0x0130;
constexpr char32_t kCombiningDotAbove = 0x0307;

utf8proc_category_t category_of(char32_t character) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(character));
}

bool is_between(char32_t character, char32_t first, char32_t last) {
  return first <= character && character <= last;
}

/// Word_Break = MidLetter, MidNumLet or Single_Quote: apostrophes, stops and colons in words.
bool is_inside_words(char32_t character) {
  switch (character) {
    case U'\'':
    case U'.':
    case U':':
    case 0x00B7:  // middle dot
    case 0x0387:  // Greek ano teleia
    case 0x055F:  // Armenian abbreviation mark
    case 0x05F4:  // Hebrew gershayim
    case 0x2018:  // quotation marks that serve as apostrophes
    case 0x2019:
    case 0x2024:  // one dot leader
    case 0x2027:  // hyphenation point
    case 0xFE13:  // presentation forms, small forms and full-width forms of the above
    case 0xFE52:
    case 0xFE55:
    case 0xFF07:
    case 0xFF0E:
    case 0xFF1A:
      return true;
    default:
      return false;
  }
}

/// The property Case_Ignorable: characters that do not separate letters.
bool is_case_ignorable(char32_t character) {
  switch (category_of(character)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return is_inside_words(character);
  }
}

/// The property Cased, for characters that are not case-ignorable.
bool is_cased(char32_t character) {
  switch (category_of(character)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
      return true;
    default:
      // Other_Lowercase and Other_Uppercase: ordinals, Roman numerals, letters in circles and
      // boxes.
      return character == 0x00AA || character == 0x00BA || is_between(character, 0x2160, 0x217F) ||
             is_between(character, 0x24B6, 0x24E9) || is_between(character, 0x1F130, 0x1F149) ||
             is_between(character, 0x1F150, 0x1F169) || is_between(character, 0x1F170, 0x1F189);
  }
}

/// Whether a word ends at this place: a cased letter before it and none after it.
bool is_final(std::u32string_view text, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  std::size_t after = at + 1;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return after == text.size() || !is_cased(text[after]);
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string decoded;
  decoded.reserve(text.size());
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  std::size_t at = 0;
  while (at < text.size()) {
    utf8proc_int32_t character = bytes[at];
    at += character < 0x80
              ? 1u
              : static_cast<std::size_t>(utf8proc_iterate(
                    bytes + at, static_cast<utf8proc_ssize_t>(text.size() - at), &character));
    decoded.push_back(static_cast<char32_t>(character));
  }
  return decoded;
}

std::string encode_utf8(std::u32string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  for (const char32_t character : text) {
    utf8proc_uint8_t bytes[4];
    const auto count = utf8proc_encode_char(static_cast<utf8proc_int32_t>(character), bytes);
    encoded.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
  }
  return encoded;
}

bool is_letter(char32_t character) {
  if (character < 0x80) return is_between(character | 0x20, U'a', U'z');
  const auto category = category_of(character);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool is_mark(char32_t character) {
  if (character < 0x80) return false;
  const auto category = category_of(character);
  return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

bool is_number(char32_t character) {
  if (character < 0x80) return is_between(character, U'0', U'9');
  const auto category = category_of(character);
  return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

bool is_punctuation(char32_t character) {
  const auto category = category_of(character);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool is_symbol(char32_t character) {
  const auto category = category_of(character);
  return category >= UTF8PROC_CATEGORY_SM && category <= UTF8PROC_CATEGORY_SO;
}

bool is_control(char32_t character) {
  const auto category = category_of(character);
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
         category == UTF8PROC_CATEGORY_CO;
}

bool is_nonspacing_mark(char32_t character) {
  return category_of(character) == UTF8PROC_CATEGORY_MN;
}

bool is_lower_case(char32_t character) { return category_of(character) == UTF8PROC_CATEGORY_LL; }

bool is_capital(char32_t character) {
  const auto category = category_of(character);
  return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LT;
}

bool is_digit(char32_t character) { return category_of(character) == UTF8PROC_CATEGORY_ND; }

bool is_dash(char32_t character) { return category_of(character) == UTF8PROC_CATEGORY_PD; }

bool is_opening(char32_t character) { return category_of(character) == UTF8PROC_CATEGORY_PS; }

bool is_closing(char32_t character) { return category_of(character) == UTF8PROC_CATEGORY_PE; }

bool is_quotation_mark(char32_t character) {
  const auto category = category_of(character);
  return category == UTF8PROC_CATEGORY_PI || category == UTF8PROC_CATEGORY_PF ||
         character == U'"' || character == U'\'';
}

bool is_space(char32_t character) {
  if (character < 0x80) {
    return is_between(character, 0x09, 0x0D) || is_between(character, 0x1C, 0x20);
  }
  if (character == 0x85) return true;
  const auto category = category_of(character);
  return category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP;
}

bool is_white_space(char32_t character) {
  return is_space(character) && !is_between(character, 0x1C, 0x1F);
}

std::u32string decomposed(std::u32string_view text) {
  const std::string bytes = encode_utf8(text);
  utf8proc_uint8_t* result = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(bytes.data()),
                   static_cast<utf8proc_ssize_t>(bytes.size()), &result,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, &std::free);
  KETTE_CHECK(size >= 0, "unicode: expected text that can be decomposed, given ",
              utf8proc_errmsg(size));
  return decode_utf8({reinterpret_cast<const char*>(result), static_cast<std::size_t>(size)});
}

std::u32string upper(std::u32string_view text) {
  std::u32string raised;
  for (const char32_t character : text) {
    if (character == U'\u00DF') {
      raised += U"SS";
    } else {
      raised.push_back(
          static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(character))));
    }
  }
  return raised;
}

std::u32string lower(std::u32string_view text) {
  std::u32string lowered;
  lowered.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char32_t character = text[at];
    if (character < 0x80) {
      lowered.push_back(is_between(character, U'A', U'Z') ? character + 0x20 : character);
    } else if (character == kCapitalSigma) {
      lowered.push_back(is_final(text, at) ? kFinalSigma : kSmallSigma);
    } else if (character == kCapitalIWithDot) {
      lowered.push_back(U'i');
      lowered.push_back(kCombiningDotAbove);
    } else {
      lowered.push_back(
          static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(character))));
    }
  }
  return lowered;
}

std::u32string_view strip_right(std::u32string_view text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::u32string_view> split(std::u32string_view text) {
  std::vector<std::u32string_view> pieces;
  std::size_t at = 0;
  while (true) {
    while (at < text.size() && is_space(text[at])) ++at;
    if (at == text.size()) return pieces;
    const std::size_t start = at;
    while (at < text.size() && !is_space(text[at])) ++at;
    pieces.push_back(text.substr(start, at - start));
  }
}

}  // namespace kette

// Text as code points and their properties: general categories (from utf8proc; 2.8 has Unicode 15),
// and white space, words and lower case as in Python's str, on which sacreBLEU's numbers depend.
// Lower case is str.lower(): the full mapping of U+0130 to two code points, and Greek capital sigma
// by its position in the word (The Unicode Standard 15, section 3.13, table 3-17).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kette {

/// The code points of well-formed UTF-8 (see first_invalid_utf8 in data/files/utf8.h).
std::u32string decode_utf8(std::string_view text);
std::string encode_utf8(std::u32string_view text);

bool is_letter(char32_t character);           ///< categories Lu, Ll, Lt, Lm, Lo
bool is_mark(char32_t character);             ///< categories Mn, Mc, Me
bool is_number(char32_t character);           ///< categories Nd, Nl, No
bool is_punctuation(char32_t character);      ///< categories Pc, Pd, Ps, Pe, Pi, Pf, Po
bool is_symbol(char32_t character);           ///< categories Sm, Sc, Sk, So
bool is_control(char32_t character);          ///< categories Cc, Cf, Co
bool is_nonspacing_mark(char32_t character);  ///< category Mn: decomposed accents
bool is_lower_case(char32_t character);       ///< category Ll
bool is_capital(char32_t character);          ///< categories Lu, Lt
bool is_digit(char32_t character);            ///< category Nd
bool is_dash(char32_t character);             ///< category Pd
bool is_opening(char32_t character);          ///< category Ps: brackets, and the German low quotes
bool is_closing(char32_t character);          ///< category Pe
bool is_quotation_mark(char32_t character);   ///< categories Pi, Pf, and " and '
bool is_space(char32_t character);            ///< str.isspace(), which includes U+001C..U+001F
bool is_white_space(char32_t character);      ///< the property White_Space, without these

/// Canonical decomposition, normalisation form D: letters, then their accents.
std::u32string decomposed(std::u32string_view text);

std::u32string lower(std::u32string_view text);
/// Per character, but "SS" for U+00DF.
std::u32string upper(std::u32string_view text);

/// str.rstrip(): without the white space at the end.
std::u32string_view strip_right(std::u32string_view text);

/// str.split(): the pieces between runs of white space. They point into text.
std::vector<std::u32string_view> split(std::u32string_view text);

}  // namespace kette

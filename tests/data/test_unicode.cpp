#include <doctest/doctest.h>

#include <string>

#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "data/metrics/score_tokenizers.h"
#include "tests/data/bleu_golden.h"

namespace kette {
namespace {

using namespace std::string_literals;
using testing::bleu_golden;

std::string joined(const std::u32string& text) {
  std::u32string all;
  for (const std::u32string_view piece : split(text)) {
    if (!all.empty()) all += U' ';
    all += piece;
  }
  return encode_utf8(all);
}

TEST_CASE("every code point survives UTF-8 both ways") {
  std::u32string all;
  for (char32_t character = 0; character < 0x110000; ++character) {
    if (character < 0xD800 || character > 0xDFFF) all += character;
  }
  CHECK(decode_utf8(encode_utf8(all)) == all);
}

TEST_CASE("lower case and words are Python's") {
  for (const auto& row : bleu_golden().at("tokens")) {
    CAPTURE(row.dump());
    const std::u32string line = decode_utf8(row.at("line").get<std::string>());
    CHECK(encode_utf8(lower(line)) == row.at("lower"));
    for (const std::string& name : all_names<ScoreTokenizer>()) {
      CAPTURE(name);
      CHECK(joined(set_apart(enum_named<ScoreTokenizer>(name), strip_right(line))) == row.at(name));
    }
  }
}

TEST_CASE("categories come from the Unicode tables") {
  CHECK(is_number(U'½'));
  CHECK(is_number(U'Ⅷ'));
  CHECK_FALSE(is_number(U'五'));
  CHECK(is_punctuation(U'„'));
  CHECK(is_punctuation(U'。'));
  CHECK_FALSE(is_punctuation(U'€'));
  CHECK(is_symbol(U'€'));
  CHECK(is_symbol(U'😀'));
  CHECK_FALSE(is_symbol(U'_'));
  CHECK(is_space(0x3000));
  CHECK(is_space(0x1F));
  CHECK_FALSE(is_space(0x200B));
}

TEST_CASE("case, digits, dashes, brackets and quotation marks") {
  for (const char32_t c : U"a\u00E4\u00DF\u03B1"s) CHECK((is_lower_case(c) && !is_capital(c)));
  for (const char32_t c : U"A\u00C4\u01C5\u0391"s) CHECK((is_capital(c) && !is_lower_case(c)));
  for (const char32_t c : U"\u672C\u02B0 1."s) CHECK_FALSE((is_capital(c) || is_lower_case(c)));
  CHECK((is_digit(U'7') && is_digit(0x0663) && !is_digit(0xB2)));
  CHECK((is_dash(U'-') && is_dash(0x2014) && !is_dash(U'_')));
  CHECK((is_opening(U'(') && is_opening(0x201E) && !is_opening(0xAB)));
  CHECK((is_closing(U']') && !is_closing(U'[') && !is_closing(0x201D)));
  for (const char32_t c : U"\"'\u201C\u201D\u2019\u00AB\u00BB"s) CHECK(is_quotation_mark(c));
  CHECK_FALSE(is_quotation_mark(U'`'));
}

TEST_CASE("split takes every run of white space as one") {
  CHECK(split(U" \t ").empty());
  CHECK(split(U"  one\u3000\u2028two ") == std::vector<std::u32string_view>{U"one", U"two"});
  CHECK(strip_right(U" a \u00A0\x1C") == U" a");
}

TEST_CASE("what a model writes becomes one line of UTF-8") {
  CHECK(as_line("sch\u00F6n \U0001F600") == "sch\u00F6n \U0001F600");
  CHECK(as_line("\xC3") == "\uFFFD");
  CHECK(as_line("a\xE2\x82z\xFF") == "a\uFFFD\uFFFDz\uFFFD");
  CHECK(as_line("one\ntwo\r\nthree\r") == "one two  three ");
  CHECK(as_line("").empty());
}

}  // namespace
}  // namespace kette

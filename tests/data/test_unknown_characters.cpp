#include <doctest/doctest.h>

#include "data/files/unicode.h"
#include "data/tokenizers/byte_tokenizer.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/tokenizers/unknown_characters.h"
#include "tests/decode/letters_tokenizer.h"

using namespace kette;

namespace {

using Lines = std::vector<std::string_view>;

}  // namespace

TEST_CASE("unknown characters: counted, named, by lines that have any") {
  UnknownCharacters unknown(testing::tokenizer_of_small_letters());
  CHECK(unknown.text().empty());
  CHECK_FALSE(unknown.add("the lazy dog ."));
  CHECK(unknown.add("the \xE2\x82\xAC dog \xE2\x82\xAC"));  // €
  CHECK(unknown.add("a\xE2\x80\x8D"));                      // shows nothing
  CHECK(unknown.lines() == 3);
  CHECK(unknown.lines_with() == 2);
  CHECK(unknown.text() ==
        "2 of 3 lines have characters that the model does not know: '\xE2\x82\xAC' (U+20AC) 2 "
        "times, U+200D");
  CHECK(unknown.is_unknown("Q"));
  CHECK_FALSE(unknown.is_unknown("q"));
  // Bytes know all.
  UnknownCharacters bytes(std::make_shared<ByteTokenizer>());
  CHECK_FALSE(bytes.add("\xE2\x82\xAC"));
}

TEST_CASE("unknown characters: the most frequent first, and how many others") {
  std::map<std::string, std::int64_t> characters;
  for (char letter = 'a'; letter < 'm'; ++letter) characters[std::string(1, letter)] = 1;
  characters["z"] = 3;
  const std::string text = listed_characters(characters);
  CHECK(text.starts_with("'z' (U+007A) 3 times, 'a' (U+0061), 'b'"));
  CHECK(text.ends_with("'i' (U+0069) and 3 others"));
}

TEST_CASE("changed characters: what the vocabulary's normalisation takes for another") {
  ChangedCharacters changed(testing::tokenizer_of_small_letters());
  changed.add("the fox");
  CHECK(changed.text().empty());
  changed.add(
      "the\xC2\xA0"
      "fox");
  CHECK(changed.text() == "1 of 2 lines have characters that the model never writes: U+00A0");
}

TEST_CASE("usual normalisation: changes what SentencePiece's nmt_nfkc does, and nothing else") {
  // Counts by SentencePieceNormalizer(rule_name="nmt_nfkc") of sentencepiece 0.2 for Python, of "a" + character + "b"; but
  // U+2581, which stands for a space there. In the other blocks it knows a younger Unicode than the library may.
  ChangedCharacters changed(usual_normalisation());
  const auto count = [&](char32_t first, char32_t end) {
    std::int64_t of_them = 0;
    for (char32_t code = first; code < end; ++code) {
      if (code == 0x2581) continue;
      of_them += changed.in(encode_utf8(std::u32string(1, code))).empty() ? 0 : 1;
    }
    return of_them;
  };
  CHECK(count(0x1, 0x600) == 126);
  CHECK(count(0x2000, 0x3000) == 551);
}

// UTF-8, what is asked of characters, and the pieces that GPT-2 cuts text into.
#include "data/files/unicode.h"

#include "data/files/utf8.h"
#include "data/tokenizers/gpt2_pieces.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {
      "It's 12 o\xE2\x80\x99"
      "clock \xCE\xA3\xCE\x91\xCE\xA3.",
      "\xC4\xB0 \xF0\x9F\x98\x80\xED\xA0\x80",
      "a \t\n  b\xC2\xA0\xE3\x80\x80"
      "c\x1C"};
}

void check_pieces(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = gpt2_piece_end(text, at);
    expect(end > at && end <= text.size(), "pieces that go on");
    at = end;
  }
  const std::size_t cut = gpt2_safe_cut(text, text.size() / 2);
  expect(cut >= text.size() / 2 && cut <= text.size(), "a cut behind the place asked for");
}

void check_characters(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && utf8_character(text, at).bytes > 0) {
    const Utf8Character character = utf8_character(text, at);
    expect(utf8_length(text[at]) == character.bytes, "the length that the first byte says");
    at += character.bytes;
  }
  const std::size_t invalid = first_invalid_utf8(text);
  expect(invalid == (at == text.size() ? std::string_view::npos : at),
         "the first invalid byte where characters end");
  expect(unfinished_utf8(text) < 4, "fewer unfinished bytes than a character has");
}

void check_text(std::string_view text) {
  const std::u32string decoded = decode_utf8(text);
  expect(encode_utf8(decoded) == text, "text that comes back whole");
  const std::u32string lowered = lower(decoded);
  expect(decode_utf8(encode_utf8(lowered)) == lowered, "lower case in UTF-8");
  for (const std::u32string_view word : split(decoded)) {
    expect(!word.empty() && strip_right(word).size() == word.size(), "words without white space");
  }
  for (const char32_t character : decoded) {
    expect(is_letter(character) + is_number(character) + is_punctuation(character) +
                   is_symbol(character) <=
               1,
           "one category of a character");
  }
}

void read(std::string_view input) {
  check_pieces(input);
  check_characters(input);
  if (first_invalid_utf8(input) == std::string_view::npos) check_text(input);
}

}  // namespace

const Target unicode = {"unicode", seeds, read};

}  // namespace kette::fuzz

// The text of tokens, told in pieces, against the text of all of them.
#include <doctest/doctest.h>

#include <algorithm>

#include "data/files/utf8.h"
#include "data/tokenizers/character_tokenizer.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/tokenizers/wordpiece_tokenizer.h"
#include "decode/text_pieces.h"
#include "tensor/splitmix.h"
#include "tests/support.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr std::string_view kLine = "the quick brown fox jumps over the lazy dog .";
constexpr std::string_view kText = "the dog 😀 . 你好 over é the fox";

/// Whose byte pieces spell half a character as U+FFFD.
SharedTokenizer with_byte_fallback() {
  SentencePieceOptions options;
  options.vocabulary = 310;
  options.byte_fallback = true;
  return SentencePieceTokenizer::train(std::vector<std::string_view>(40, kLine), options);
}

SharedTokenizer lossless() {
  std::string text;
  for (int i = 0; i < 40; ++i) text.append(kLine).push_back('\n');
  SentencePieceOptions options;
  options.vocabulary = 310;
  return SentencePieceTokenizer::train_text(text, options);
}

std::vector<SharedTokenizer> every_kind() {
  const std::vector<std::string> pieces = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the",
                                           "fox",   "##es",  "over",  "dog",   "##s",    "."};
  return {load_tokenizer({}, "byte"),
          CharacterTokenizer::from_text(kText, "text"),
          load_tokenizer(testing::source_folder() / "tests/fixtures/gpt2_tiny", "gpt2"),
          lossless(),
          with_byte_fallback(),
          std::make_shared<WordPieceTokenizer>(pieces, WordPieceSettings(), "pieces")};
}

/// Of the tokens behind a prompt: what is told of each, and at last what is left.
std::vector<std::string> told(const Tokenizer& tokenizer, const Ids& prompt, const Ids& tokens) {
  TextPieces pieces(tokenizer, prompt);
  std::vector<std::string> told;
  for (const std::int32_t token : tokens) told.push_back(pieces.add(token));
  told.push_back(pieces.finish());
  return told;
}

std::string all_of(const std::vector<std::string>& pieces) {
  std::string all;
  for (const std::string& piece : pieces) all += piece;
  return all;
}

TEST_CASE("text pieces: together they are the text, of every kind of tokenizer and any ids") {
  for (const SharedTokenizer& tokenizer : every_kind()) {
    const std::string kind = tokenizer->kind();
    CAPTURE(kind);
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      Ids ids;
      for (int i = 0; i < 3; ++i) {
        const Ids more = tokenizer->encode(kText);
        ids.insert(ids.end(), more.begin(), more.end());
      }
      for (int i = 0; i < 150; ++i) {
        ids.push_back(static_cast<std::int32_t>(
            hash_of(seed, i) % static_cast<std::uint64_t>(tokenizer->vocabulary())));
      }
      for (std::ptrdiff_t before = 0; before < 24; ++before) {
        CAPTURE(before);
        const Ids prompt(ids.begin(), ids.begin() + before);
        const Ids tokens(ids.begin() + before, ids.end());
        CHECK(all_of(told(*tokenizer, prompt, tokens)) == text_after(*tokenizer, prompt, tokens));
      }
    }
  }
}

TEST_CASE("text pieces: each is of whole characters, also of a model that is not lossless") {
  for (const SharedTokenizer& tokenizer : every_kind()) {
    if (tokenizer->kind() == "wordpiece") continue;  // which cannot spell it
    const std::string kind = tokenizer->kind();
    CAPTURE(kind);
    std::vector<std::string> pieces = told(*tokenizer, {}, tokenizer->encode(kText));
    CHECK(all_of(pieces) == kText);
    CHECK(pieces.back() == "");
    for (const std::string& piece : pieces) {
      CHECK(first_invalid_utf8(piece) == std::string::npos);
    }
  }
}

TEST_CASE("text pieces: bytes that become no character are told once they cannot become one") {
  const SharedTokenizer tokenizer = with_byte_fallback();
  const Ids id = tokenizer->encode("😀");
  REQUIRE(tokenizer->piece(id.back()) == "<0x80>");
  const Ids tokens(100, id.back());
  std::vector<std::string> pieces = told(*tokenizer, tokenizer->encode("the"), tokens);
  CHECK(pieces.back() == "\uFFFD\uFFFD\uFFFD");
  pieces.pop_back();
  CHECK(std::count(pieces.begin(), pieces.end(), "\uFFFD") == 97);
  // A prompt that ends within a character: the text begins with it.
  const Ids prompt(id.begin(), id.end() - 1);
  CHECK(text_after(*tokenizer, prompt, {id.back()}) == "😀");
  CHECK(all_of(told(*tokenizer, prompt, {id.back()})) == "😀");
}

}  // namespace
}  // namespace kette

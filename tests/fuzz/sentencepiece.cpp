// tokenizer.model as both models use it. The library that reads it is not instrumented; what it lets
// happen is ours to prevent all the same.
#include "data/files/utf8.h"
#include "data/tokenizers/sentencepiece_text_tokenizer.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/tiny_models.h"

namespace kette::fuzz {
namespace {

constexpr std::string_view kText = "the old man sees \xC3\xA4 bird .\nw\xF0\x9F\x98\x80";

std::vector<std::string> seeds() {
  TokenizerOptions lossless, unigram;
  lossless.byte_fallback = true;
  unigram.model = TokenizerOptions::Model::unigram;
  return {tiny_tokenizer().bytes(), tiny_tokenizer(lossless).bytes(),
          tiny_tokenizer(unigram).bytes()};
}

void expect_ids(const std::vector<std::int32_t>& ids, std::int64_t vocabulary) {
  for (const std::int32_t id : ids) {
    expect(id >= 0 && id < vocabulary, "ids of the vocabulary");
  }
}

void read(std::string_view input) {
  const Tokenizer tokenizer = Tokenizer::from_bytes(input, "tokenizer.model");
  const auto ids = tokenizer.encode(kText);
  expect_ids(ids, tokenizer.vocab_size());
  must("ids of a tokenizer's own to stand for text", [&] { tokenizer.decode(ids); });
  if (tokenizer.is_bpe()) {
    expect_ids(tokenizer.encode_with_dropout(kText, 0.3, 1), tokenizer.vocab_size());
  }
  const SentencePieceTextTokenizer text(tokenizer);
  const auto text_ids = text.encode(kText);
  expect_ids(text_ids, text.vocabulary());
  must("ids of a tokenizer's own to stand for text", [&] { text.decode(text_ids); });
}

}  // namespace

const Target sentencepiece = {"sentencepiece", seeds, read};

}  // namespace kette::fuzz

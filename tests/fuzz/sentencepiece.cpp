// tokenizer.model as both models use it. The library that reads it is not instrumented; what it lets
// happen is ours to prevent all the same.
#include "data/files/utf8.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/tiny_models.h"

namespace kette::fuzz {
namespace {

constexpr std::string_view kText = "the old man sees \xC3\xA4 bird .\nw\xF0\x9F\x98\x80";

std::vector<std::string> seeds() {
  SentencePieceOptions lossless, unigram;
  lossless.byte_fallback = true;
  unigram.model = SentencePieceOptions::Model::unigram;
  std::vector<std::string> models;
  for (const SentencePieceOptions& options : {SentencePieceOptions(), lossless, unigram}) {
    models.push_back(tiny_tokenizer(options)->files().front().second);
  }
  return models;
}

void expect_ids(const std::vector<std::int32_t>& ids, std::int64_t vocabulary) {
  for (const std::int32_t id : ids) {
    expect(id >= 0 && id < vocabulary, "ids of the vocabulary");
  }
}

void read(std::string_view input) {
  const SentencePieceTokenizer tokenizer(input, "tokenizer.model");
  const auto ids = tokenizer.encode(kText);
  expect_ids(ids, tokenizer.vocabulary());
  must("ids of a tokenizer's own to stand for text", [&] { tokenizer.decode(ids); });
  if (tokenizer.is_bpe()) expect_ids(tokenizer.resegment(ids, 0.3, 1), tokenizer.vocabulary());
  for (const auto& line : tokenizer.encode_all(std::vector<std::string_view>{kText})) {
    expect_ids(line, tokenizer.vocabulary());
  }
}

}  // namespace

const Target sentencepiece = {"sentencepiece", seeds, read};

}  // namespace kette::fuzz

// A corpus as ids: every id is one of the vocabulary, and windows of training are made of them.
#include "data/token_file.h"

#include "data/tokenize_files.h"
#include "data/window_sampler.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::string seed(std::int64_t vocabulary, const std::string& tokenizer, std::string_view data) {
  const auto path = scratch() / "seed.tokens";
  TokenFileWriter writer(path, vocabulary);
  std::vector<std::int32_t> ids(40);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(7 * i % 256);
  writer.append(ids);
  writer.finish({tokenizer, vocabulary, static_cast<std::int32_t>(vocabulary - 1), 3, 40});
  return joined({header_of(path), data});
}

std::vector<std::string> seeds() {
  const std::string bytes = load_text_tokenizer("byte", {})->fingerprint();
  return {seed(257, bytes, std::string("\x05\0\x07\0\x09\0\0\x01", 8)),
          seed(70000, "other", std::string("\x05\0\0\0\x07\0\x01\0", 8))};
}

void read_ids(const TokenFile& corpus) {
  constexpr std::int64_t kPart = 1000;
  for (std::int64_t at = 0; at < corpus.size(); at += kPart) {
    for (const std::int32_t id : corpus.copy(at, std::min(kPart, corpus.size() - at))) {
      expect(id >= 0 && id < corpus.info().vocabulary, "ids of the vocabulary");
    }
  }
}

void read(std::string_view input) {
  const auto files = parts(input, 2);
  const auto path = put("corpus.tokens", safetensors(files[0], files[1]));
  expect(is_token_file(path) || files[0].empty() || files[0][0] != '{',
         "a file that is told apart");
  const TokenFile corpus = TokenFile::open(path);
  read_ids(corpus);
  WindowSampler sampler(corpus, {4, 2, 1});
  must("batches of a corpus that was accepted", [&] {
    for (int i = 0; i < 5; ++i) sampler.next();
  });
  open_tokens(path, *load_text_tokenizer("byte", {}));
}

}  // namespace

const Target token_file = {"token-file", seeds, read};

}  // namespace kette::fuzz

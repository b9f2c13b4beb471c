// A corpus as ids: every id is one of the vocabulary, and windows of training are made of them.
#include "data/corpora/token_file.h"

#include "data/corpora/tokenize_files.h"
#include "data/corpora/window_sampler.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

/// Without checksums, which a file of another program need not have.
std::string seed(const std::string& tokenizer, const char* vocabulary, const char* tensor,
                 std::string_view data) {
  return joined({R"({"__metadata__":{"bytes":"40","documents":"3","end_of_text":"256",)"
                 R"("tokenizer":")" +
                     tokenizer + R"(","vocabulary":")" + vocabulary + R"("},"tokens":)" + tensor +
                     "}",
                 data});
}

std::vector<std::string> seeds() {
  return {seed(load_tokenizer({}, "byte")->fingerprint(), "257",
               R"({"dtype":"U16","shape":[40],"data_offsets":[0,80]})",
               std::string("\x05\0\x07\0\x09\0\0\x01", 8)),
          seed("other", "70000", R"({"dtype":"I32","shape":[40],"data_offsets":[0,160]})",
               std::string("\x05\0\0\0\x07\0\x01\0", 8))};
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
  WindowSampler sampler({corpus}, {4, 2, 1});
  must("batches of a corpus that was accepted", [&] {
    for (int i = 0; i < 5; ++i) sampler.next();
  });
  must("a corpus that can be written and read again", [&] {
    const auto copy = scratch() / "copy.tokens";
    TokenFileWriter writer(copy, corpus.info().vocabulary);
    writer.append(corpus.copy(0, corpus.size()));
    writer.finish(corpus.info());
    const TokenFile again = TokenFile::open(copy);
    expect(again.copy(0, again.size()) == corpus.copy(0, corpus.size()), "the ids written");
  });
  open_tokens(path, *load_tokenizer({}, "byte"));
}

}  // namespace

const Target token_file = {"token-file", seeds, read};

}  // namespace kette::fuzz

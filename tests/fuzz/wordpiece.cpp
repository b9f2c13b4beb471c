// vocab.txt and tokenizer_config.json of a BERT, and a text.
#include "data/tokenizers/wordpiece_tokenizer.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  const std::string vocabulary = fixture("hugging_face/bert/vocab.txt");
  return {joined({vocabulary, "{}",
                  "The old harbour, \xC3\x9C"
                  "bermut \xE6\x97\xA5\xE6\x9C\xAC e\xCC\x81"}),
          joined({"[UNK]\n[CLS]\n[SEP]\na\n##b\n", R"({"do_lower_case": false})", "abba AB"})};
}

void read(std::string_view input) {
  const auto files = parts(input, 3);
  const auto folder = put("wordpiece/vocab.txt", files[0]).parent_path();
  put("wordpiece/tokenizer_config.json", files[1]);
  const auto tokenizer = WordPieceTokenizer::load(folder);
  must("files that give the same tokenizer", [&] {
    for (const auto& [name, content] : tokenizer->files()) put("wordpiece/" + name, content);
    expect(WordPieceTokenizer::load(folder)->fingerprint() == tokenizer->fingerprint(),
           "the tokenizer that was written");
  });
  tokenizer->decode(tokenizer->encode(files[2]));
}

}  // namespace

const Target wordpiece = {"wordpiece", seeds, read};

}  // namespace kette::fuzz

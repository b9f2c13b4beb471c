// vocab.json and merges.txt, and a text that must come back whole: short pieces are swept and long
// ones merged by a heap, and both must agree.
#include "data/tokenizers/gpt2_tokenizer.h"

#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  const std::string vocabulary = fixture("gpt2_tiny/vocab.json");
  return {joined({vocabulary, fixture("gpt2_tiny/merges.txt"),
                  "The man's  house\n\n isn't 42 m\xC3\xBC"}),
          joined({"", "", "of the the of in the thethethe"})};
}

std::string_view or_fixture(std::string_view given, const std::string& stored) {
  return given.empty() ? stored : given;
}

void read(std::string_view input) {
  static const std::string vocabulary = fixture("gpt2_tiny/vocab.json");
  static const std::string merges = fixture("gpt2_tiny/merges.txt");
  const auto files = parts(input, 3);
  const auto folder = put("bpe/vocab.json", or_fixture(files[0], vocabulary)).parent_path();
  put("bpe/merges.txt", or_fixture(files[1], merges));
  const auto tokenizer = Gpt2Tokenizer::load(folder);
  const auto check = [&](const std::string& text) {
    const auto ids = tokenizer->encode(text);
    expect(tokenizer->decode(ids) == text, "a text that comes back whole");
    return ids;
  };
  must("a text that every vocabulary can spell", [&] {
    const std::string text(files[2]);
    check(text);
    check(text + text + text);
  });
  must("files that give the same tokenizer", [&] {
    for (const auto& [name, content] : tokenizer->files()) put("bpe/" + name, content);
    expect(Gpt2Tokenizer::load(folder)->fingerprint() == tokenizer->fingerprint(),
           "the tokenizer that was written");
  });
}

}  // namespace

const Target gpt2_tokenizer = {"gpt2-tokenizer", seeds, read};

}  // namespace kette::fuzz

// characters.json, and a text.
#include "data/tokenizers/character_tokenizer.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {
      joined({R"([" ","a","b","\u00e4","\ud83d\ude00","\n"])", "ab\xC3\xA4 \xF0\x9F\x98\x80\n"}),
      joined({R"(["\u0000","x"])", "xx"})};
}

void read(std::string_view input) {
  const auto files = parts(input, 2);
  const auto folder = put("characters/characters.json", files[0]).parent_path();
  const auto tokenizer = CharacterTokenizer::load(folder);
  must("files that give the same tokenizer", [&] {
    for (const auto& [name, content] : tokenizer->files()) put("characters/" + name, content);
    expect(CharacterTokenizer::load(folder)->fingerprint() == tokenizer->fingerprint(),
           "the tokenizer that was written");
  });
  const auto ids = tokenizer->encode(files[1]);
  expect(tokenizer->decode(ids) == files[1], "a text that comes back whole");
}

}  // namespace

const Target characters = {"characters", seeds, read};

}  // namespace kette::fuzz

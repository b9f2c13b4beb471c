// Whole words as ids, rare ones by their looks.
#include <doctest/doctest.h>

#include "data/tokenizers/word_tokenizer.h"
#include "tensor/error.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;
using testing::contains;
using testing::message_of;

WordTokenizer::Shared few_words(std::int64_t vocabulary = 1000) {
  std::vector<std::string_view> lines = {
      "The cat saw the cat .", "a cat walking , talking , baking",
      "the dog : running making Zürich Xanten Yale Basel Wien", "the 1 22 333 44 5 state-run"};
  return WordTokenizer::train(lines, vocabulary);
}

TEST_CASE("frequent words have ids, all others the looks that rare words share") {
  const WordTokenizer::Shared tokenizer = few_words();
  const auto spelt = [&](const std::string& text) {
    return tokenizer->decode(tokenizer->encode(text));
  };
  CHECK(spelt("the cat , cat") == "the cat , cat");
  CHECK(spelt("The cat") == "the cat");   // as it begins a sentence
  CHECK(spelt("cat The") == "cat <C->");  // and does not
  CHECK(spelt("the sailing") == "the <-ing>");
  CHECK(spelt("the 77") == "the <0->");
  CHECK(spelt("the Rom") == "the <C->");
  CHECK(spelt("cat ~") == "cat <unk>");
  CHECK(tokenizer->encode("cat").size() == 1);
  CHECK(tokenizer->encode(" \t").empty());
  for (const std::string odd : {"\xE6\x97\xA5\xE6\x9C\xAC", "x\xC3\xA9", "--", "<", "U.S."}) {
    CHECK(tokenizer->encode("the " + odd + " cat").size() == 3);
  }
}

TEST_CASE("a tokenizer of words comes back from its file, and keeps to its size") {
  const WordTokenizer::Shared tokenizer = few_words();
  const testing::ScratchFolder folder;
  tokenizer->save(folder.path());
  const SharedTokenizer again = load_tokenizer(folder.path());
  CHECK(again->kind() == "word");
  CHECK(again->reads_words());
  CHECK(again->fingerprint() == tokenizer->fingerprint());
  CHECK(again->encode("the sailing cat") == tokenizer->encode("the sailing cat"));
  const std::int64_t all = tokenizer->vocabulary();
  CHECK(few_words(all)->fingerprint() == tokenizer->fingerprint());
  CHECK(few_words(all - 1)->vocabulary() == all - 1);
  CHECK(few_words(all - 1)->decode(few_words(all - 1)->encode("the cat")) == "the cat");
  CHECK(
      contains(message_of([] { few_words(5); }), "Tokenizer: expected a vocabulary of more than "));
  CHECK(contains(message_of([] { WordTokenizer::train(std::vector<std::string_view>{" "}, 9); }),
                 "expected lines with words, given none"));
  CHECK_THROWS_AS(tokenizer->decode(Ids{static_cast<std::int32_t>(all)}), Error);
  testing::write_file(folder / "words.json", "{\"looks\": [\"<C->\", \"<C->\"], \"words\": []}");
  CHECK(contains(message_of([&] { load_tokenizer(folder.path()); }),
                 "words.json: expected every entry once, given <C-> twice"));
  testing::write_file(folder / "words.json", "{\"looks\": []}");
  CHECK(contains(message_of([&] { load_tokenizer(folder.path()); }),
                 "words.json: expected a JSON object with a list \"words\", given none"));
}

}  // namespace
}  // namespace kette

#include <doctest/doctest.h>

#include "data/corpora/text_facts.h"
#include "data/sentences/likely_language.h"
#include "data/tokenizers/byte_tokenizer.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

using namespace kette;

namespace {

TextFacts facts_of(const std::string& source, const std::string& target, bool both = false,
                   std::int64_t join_lines = 1) {
  const testing::ScratchFolder folder;
  testing::write_file(folder / "s", source);
  testing::write_file(folder / "t", target);
  return text_facts({{folder / "s", folder / "t", ""}}, both, ByteTokenizer(),
                    {.join_lines = join_lines});
}

}  // namespace

TEST_CASE("text facts: language, sentences, lengths and case of what a model learns from") {
  const std::string english =
                        "The man is here. He has a dog.\nIt was in the house and they saw it.\n",
                    german =
                        "Der Mann ist hier. Er hat einen Hund.\nEs war im Haus und sie sahen es.\n";
  const TextFacts facts = facts_of(english, german);
  CHECK(facts.source_language == "en");
  CHECK(facts.target_language == "de");
  CHECK(facts.sentences == 1);
  CHECK(facts.source_tokens == 30);  // bytes; of two lines the shorter
  CHECK(facts.capitals == 1);
  CHECK(facts.shortest == 0.88);  // 32 / 36
  std::string pairs, targets;     // of which few lines have one sentence
  for (int i = 0; i < 30; ++i)
    pairs += i % 15 == 0 ? "One a.\n" : "One a. Two b.\n", targets += "x\n";
  CHECK(facts_of(pairs, targets).sentences == 2);
  CHECK(facts_of("One a. Two b.\nOne c. Two d.\nOne e.\n", "x\ny\nz\n").sentences == 1);
  CHECK(facts_of("One a. Two b.\nOne c.\n", "x\ny\n").most_sentences == 1);
  std::string lines;
  for (int i = 0; i < 30; ++i) lines += "One a.\n";
  CHECK(facts_of(lines, targets, false, 3).sentences == 1);
  CHECK(facts_of(lines, targets, false, 3).most_sentences == 3);
  CHECK(facts_of("all is small\nA capital\n", "x\ny\n").capitals == 0.5);
  CHECK(facts_of("\n\n", "x\ny\n").sentences == 1);
  CHECK(facts_of(english, german, true).source_language.empty());
}

TEST_CASE("text facts: a model's directory has them, or has none") {
  const testing::ScratchFolder folder, other;
  CHECK_FALSE(load_text_facts(folder.path()));
  copy_text_facts(folder.path(), other.path());
  CHECK_FALSE(load_text_facts(other.path()));
  const TextFacts facts{"en", "", 3, 4, 80, 0.25, 0.5};
  save(facts, folder.path());
  CHECK(load_text_facts(folder.path()) == facts);
  copy_text_facts(folder.path(), other.path());
  CHECK(load_text_facts(other.path()) == facts);
  for (const char* bad : {"", "[]", "{}", "{\"source_language\": 1}"}) {
    testing::write_file(folder / kTextFactsFile, bad);
    CHECK(testing::contains(testing::message_of([&] { load_text_facts(folder.path()); }),
                            "text.json: expected"));
  }
}

TEST_CASE("likely language: by function words, or none") {
  using Lines = std::vector<std::string_view>;
  CHECK(likely_language(Lines{"The cat and the dog are in the house."}) == "en");
  CHECK(likely_language(Lines{"Die Katze und der Hund sind im Haus."}) == "de");
  CHECK(likely_language(Lines{"Le chat et le chien sont dans la maison."}) == "fr");
  CHECK(likely_language(Lines{"", "123", "Xyz qwv"}).empty());
}

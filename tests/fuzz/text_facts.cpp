// What a model's directory says of its text, of any bytes: refused by name, or facts that are written and read back as
// they were.
#include "data/corpora/text_facts.h"

#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {
      R"({"source_language": "en", "target_language": "de", "sentences_a_line": 2, "most_sentences_a_line": 3,
              "source_tokens": 40, "shortest_ratio": 0.5, "lines_with_capitals": 1.0})"};
}

void read(std::string_view input) {
  const std::filesystem::path folder = put(kTextFactsFile, std::string(input)).parent_path();
  const std::optional<TextFacts> facts = load_text_facts(folder);
  expect(facts.has_value(), "facts of a file that is there");
  must("facts that were read", [&] {
    save(*facts, folder);
    expect(load_text_facts(folder) == facts, "the facts that were written");
  });
}

}  // namespace

const Target text_facts = {"text_facts", seeds, read};

}  // namespace kette::fuzz

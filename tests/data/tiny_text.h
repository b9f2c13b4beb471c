// A few dozen parallel sentences that the data tests train tokenizers on: enough for some hundred
// merges.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "data/files/text_file.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tests/support.h"

namespace kette::testing {

struct TinyText {
  std::string source, target;  // whole files, one sentence a line
  TextLines source_lines() const { return TextLines(source, "tiny.en"); }
  TextLines target_lines() const { return TextLines(target, "tiny.de"); }
};

/// Every subject with every verb and object: 5 x 6 x 5 pairs of different lengths.
inline TinyText tiny_text() {
  struct Pair {
    const char *english, *german;
  };
  const Pair subjects[] = {
      {"the old man", "der alte Mann"},
      {"a girl", "ein Mädchen"},
      {"my neighbour from the other street", "mein Nachbar aus der anderen Straße"},
      {"she", "sie"},
      {"the children", "das Kinderpaar"}};
  const Pair verbs[] = {{"sees", "sieht"},       {"finds", "findet"}, {"buys", "kauft"},
                        {"forgets", "vergisst"}, {"paints", "malt"},  {"follows", "verfolgt"}};
  const Pair objects[] = {{"the bridge", "die Brücke"},
                          {"a very small bird", "einen sehr kleinen Vogel"},
                          {"it", "es"},
                          {"two green bottles and a book", "zwei grüne Flaschen und ein Buch"},
                          {"the train to the harbour", "den Zug zum Hafen"}};
  TinyText text;
  for (const Pair& subject : subjects) {
    for (const Pair& verb : verbs) {
      for (const Pair& object : objects) {
        text.source +=
            std::string(subject.english) + " " + verb.english + " " + object.english + " .\n";
        text.target +=
            std::string(subject.german) + " " + verb.german + " " + object.german + " .\n";
      }
    }
  }
  return text;
}

/// The lines of both languages, for a joint vocabulary.
inline std::vector<std::string_view> joint(const TextLines& source, const TextLines& target) {
  std::vector<std::string_view> lines = source.views();
  lines.insert(lines.end(), target.views().begin(), target.views().end());
  return lines;
}

/// A joint vocabulary of 200 pieces.
inline SharedTokenizer tiny_tokenizer(const TextLines& source, const TextLines& target) {
  SentencePieceOptions options;
  options.vocabulary = 200;
  return SentencePieceTokenizer::train(joint(source, target), options);
}

}  // namespace kette::testing

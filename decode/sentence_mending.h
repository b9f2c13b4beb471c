// Prepares a sentence for the model. Parts that the model cannot read, or that must not be
// translated, are removed and later inserted where the words beside them went: unknown characters,
// addresses, placeholders, tags. Capitals are changed to what the model knows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpora/text_facts.h"
#include "data/documents/mark.h"
#include "data/tokenizers/unknown_characters.h"

namespace kette {

struct PreparedSentence {
  std::string input;  ///< for the model; white space around removed parts stays, or stands for <br>
  /// Marks of the document and of removed parts: a `stands`, but pairs and breaks of tags; places in
  /// the input.
  std::vector<Mark> marks;
  /// Index of each mark among the given marks; Mark::kNoPartner: a removed part.
  std::vector<std::size_t> given;
  std::int64_t taken_out = 0;        ///< number of removed parts
  std::vector<std::string> unknown;  ///< removed characters that the vocabulary lacks
  bool raised = false;               ///< was in capitals, and so will be the translation
  bool lowered = false;              ///< lost its capitals, which the model does not know
  bool copied = false;               ///< has no letter and no digit: is its own translation
};

class SentencePreparer {
 public:
  /// facts: of the model's training text, if known.
  SentencePreparer(SharedTokenizer tokenizer, std::optional<TextFacts> facts);

  /// marks: of the document, ascending by their places in the sentence.
  PreparedSentence prepare(std::string_view sentence, const std::vector<Mark>& marks);

 private:
  struct TakenOut {
    std::size_t begin, end;
    bool is_kept = true;  // false: an invisible unknown character, which is dropped
  };
  std::string known_small(std::string_view character);
  std::vector<TakenOut> taken_out(std::string_view sentence, PreparedSentence& prepared);
  void set_case(PreparedSentence& prepared);

  SharedTokenizer tokenizer_;
  std::optional<TextFacts> facts_;
  UnknownCharacters unknown_;
};

/// A warning about lines for a model: "3 of 100 lines are in capitals", of which it has seen few;
/// "" if there is none.
std::string strange_case(const std::vector<std::string_view>& lines,
                         const std::optional<TextFacts>& facts);

/// The text in capitals.
std::string raised(std::string_view text);

}  // namespace kette

// A sentence as the model is to read it. What it cannot read, and what no translation may change, is taken out and put
// back where the words beside it went: characters that its vocabulary does not know, addresses, placeholders. Capitals
// go the way that the model knows.
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
  std::string input;  ///< for the model; what was taken out leaves the white space around it
  std::vector<Mark>
      marks;  ///< of the document, and `stands` for what was taken out; places in the input
  std::vector<std::size_t>
      given;  ///< which of the given marks each is; Mark::kNoPartner: taken out
  std::int64_t taken_out = 0;
  std::vector<std::string> unknown;  ///< of that, characters that the vocabulary does not know
  bool raised = false;               ///< was in capitals, and its translation is to be
  bool lowered = false;              ///< lost its capitals, which the model does not know
  bool copied = false;               ///< has no letter and no digit: stands for itself
};

class SentencePreparer {
 public:
  /// facts: of the model's text, if they are known.
  SentencePreparer(SharedTokenizer tokenizer, std::optional<TextFacts> facts);

  /// marks: of the document, rising by their places in the sentence.
  PreparedSentence prepare(std::string_view sentence, const std::vector<Mark>& marks);

 private:
  struct TakenOut {
    std::size_t begin, end;
    bool is_kept = true;  // or is dropped: an invisible character that the vocabulary does not know
  };
  std::string known_small(std::string_view character);
  std::vector<TakenOut> taken_out(std::string_view sentence, PreparedSentence& prepared);
  void set_case(PreparedSentence& prepared);

  SharedTokenizer tokenizer_;
  std::optional<TextFacts> facts_;
  UnknownCharacters unknown_;
};

/// Of lines that come to a model as they are: "3 of 100 lines are in capitals", which it has hardly seen; "" if none is.
std::string strange_case(const std::vector<std::string_view>& lines,
                         const std::optional<TextFacts>& facts);

/// In capitals, for a translation of what was.
std::string raised(std::string_view text);

}  // namespace kette

// Translation of text as people have it: lines and paragraphs of any number of sentences, each of which is translated
// alone, and what stands between them comes back byte for byte. What is wrong with one text does not concern the
// others.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/sentences/sentence_splitter.h"
#include "decode/translator.h"

namespace kette {

struct TextOptions : TranslateOptions {
  /// Parts texts into sentences, and sentences that the model has no positions for into what it has. None: a text is
  /// one sentence, white space at its ends is dropped, and one that is too long is a fault, unless `truncate` cuts it.
  std::shared_ptr<const SentenceSplitter> splitter{};
  LineBreaks breaks = LineBreaks::end;  ///< what a line feed in a text is to the splitter
  /// So many sentences, of no more tokens than that, are translated together, as a model has learnt to (TextFacts).
  std::int64_t together = 1, together_tokens = 0;
};

struct SourceText {
  std::string text;
  std::string prefix{};  ///< what its translation begins with, where texts are not split
  std::string fault{};   ///< why it is not to be translated, if it is not
};

struct TranslatedSentence {
  Sentence part;  ///< of the text
  Translation translation;
  bool divided = false;  ///< the sentence was too long for the model, and this is a part of it
};

struct TranslatedText {
  std::string text;
  std::vector<TranslatedSentence> sentences;
  std::string fault{};  ///< why there is no translation; text is empty then
};

/// Given each text's translation, in the order of the texts, by one thread at a time.
using TakeText = std::function<void(std::int64_t number, TranslatedText translated)>;

class TextTranslator {
 public:
  /// translator: outlives this.
  TextTranslator(const Translator& translator, const TextOptions& options)
      : translator_(translator), options_(options) {}

  void translate(const std::vector<SourceText>& sources, const TakeText& take,
                 const SentenceProgress& progress = {}) const;

 private:
  struct Unit;
  class Assembly;
  /// Of one text; or none, and the fault.
  void add_units(std::string_view text, std::size_t number, std::vector<Unit>& units,
                 std::string& fault) const;
  /// What of a text is translated at once.
  std::vector<Sentence> parts_of(std::string_view text) const;

  const Translator& translator_;
  TextOptions options_;
};

}  // namespace kette

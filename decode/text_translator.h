// Translation of text as people have it: lines and paragraphs of any number of sentences, with marks in them. Sentences
// are translated one by one, or as many at once as the model has learnt to; what stands between them comes back byte for
// byte, and nothing of them is lost: see decode/sentence_mending.h. What is wrong with one text does not concern the
// others.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/corpora/text_facts.h"
#include "data/documents/mark.h"
#include "data/sentences/sentence_splitter.h"
#include "decode/previous_sentences.h"
#include "decode/translator.h"

namespace kette {

class SentencePreparer;
struct TranslationUnit;

struct TextTranslateOptions {
  DecodingOptions decoding{};
  WorkOptions work{};
  std::string language{};  ///< as SourceSentence::language
  bool truncate = false;   ///< cut sentences that the model has no positions for
  /// Parts texts into sentences, and sentences that the model has no positions for into what it has. None: a text is
  /// one sentence, white space at its ends is dropped, and one that is too long is a fault, unless `truncate` cuts it.
  std::shared_ptr<const SentenceSplitter> splitter{};
  LineBreaks breaks = LineBreaks::end;  ///< what a line feed in a text is to the splitter
  /// So many sentences, of no more tokens than that, are translated together, as a model has learnt to (TextFacts).
  std::int64_t together = 1, together_tokens = 0;
  /// Instead: each sentence behind so many before it, of no more tokens together, of which only its own translation is
  /// taken; where that cannot be told from the others it is translated alone. With a splitter and facts.
  std::int64_t previous = 0;
  /// Carry over what the model cannot read, meet it in its case, search anew what runs in circles. Only the best
  /// translation is mended, and no prefix.
  bool mend = true;
  std::optional<TextFacts> facts{};  ///< of the model's text, if they are known
};

struct SourceText {
  std::string text;
  std::vector<Mark> marks{};  ///< as in a Block; only with mend
  std::string
      prefix{};  ///< what its translation begins with, where texts are neither split nor mended
  std::string fault{};  ///< why it is not to be translated, if it is not
};

/// What was done to a sentence, and what looks wrong with its translation.
struct SentenceNotes {
  std::int64_t carried = 0;            ///< addresses, placeholders and unknown characters
  std::vector<std::string> unknown{};  ///< the latter
  bool raised = false,
       lowered = false;       ///< in capitals; without the capitals that the model does not know
  bool copied = false;        ///< nothing to translate: stands for itself
  std::int64_t previous = 0;  ///< sentences before it that it was translated with
  bool alone = false;         ///< its translation could not be told from theirs
  bool looped = false, loops = false;  ///< was searched anew; and still runs in circles
  std::vector<std::string> missing_numbers{};
  bool is_short = false;  ///< far shorter than translations are

  bool are_doubts() const { return loops || !missing_numbers.empty() || is_short; }
};

struct TranslatedSentence {
  Sentence part;  ///< of the text
  Translation translation;
  std::string text;      ///< mended
  bool divided = false;  ///< the sentence was too long for the model, and this is a part of it
  SentenceNotes notes{};
};

struct TranslatedText {
  std::string text;
  std::vector<Mark> marks{};  ///< all of the source, at their new places
  std::vector<TranslatedSentence> sentences{};
  std::string fault{};  ///< why there is no translation; text is empty then
};

/// Given each text's translation, in the order of the texts, by one thread at a time.
using TakeText = std::function<void(std::int64_t number, TranslatedText translated)>;

class TextTranslator {
 public:
  /// translator: outlives this.
  TextTranslator(const SentenceTranslator& translator, const TextTranslateOptions& options);

  /// Texts that follow those of the call before. An empty one parts those around it.
  void translate(const std::vector<SourceText>& sources, const TakeText& take,
                 const SentenceProgress& progress = {});

 private:
  /// Of one text; or none, and the fault.
  void add_units(const SourceText& source, std::size_t number, SentencePreparer& preparer,
                 std::vector<TranslationUnit>& units, std::string& fault) const;
  /// What of a text is translated at once.
  std::vector<Sentence> parts_of(std::string_view text) const;
  /// What each unit comes to the model as, with what is before it.
  std::vector<std::string> inputs_of(std::vector<TranslationUnit>& units, std::size_t texts);
  std::string input_of(const TranslationUnit& unit) const;
  SourceSentence sentence_of(std::string input, std::int64_t number) const;
  bool take_own(TranslationUnit& unit) const;
  void finish(TranslationUnit& unit) const;
  void search_alone(std::vector<TranslationUnit>& units) const;
  void examine(TranslationUnit& unit) const;
  void search_anew(std::vector<TranslationUnit>& units) const;
  void carry_over(std::vector<TranslationUnit>& units) const;

  const SentenceTranslator& translator_;
  TextTranslateOptions options_;
  PreviousSentences previous_;
  std::optional<SentenceSplitter> target_splitter_;  // with previous
  std::int64_t texts_ = 0;                           // of earlier calls
};

}  // namespace kette

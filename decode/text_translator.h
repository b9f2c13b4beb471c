// Translates text as people write it: lines and paragraphs of any number of sentences, with marks
// in them. Sentences are translated one by one, or several at once if the model has learnt that.
// Text between sentences is copied byte by byte, and nothing in a sentence is lost
// (decode/sentence_mending.h). A tag that a text begins with (Tokenizer::written_tag()) is for all its
// sentences, and not translated. An error in one text does not affect the others.
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
  std::string language{};  ///< as SourceSentence::language, of texts without a tag
  bool truncate = false;   ///< cut off sentences that exceed the model's positions
  /// Splits texts into sentences, and those into parts that the model has no positions for, or that are longer than what
  /// it has learnt (`facts`). Null: a text is one sentence and white space at its ends is dropped. If too long it is a
  /// fault, unless `truncate` cuts it.
  std::shared_ptr<const SentenceSplitter> splitter{};
  LineBreaks breaks = LineBreaks::end;  ///< how the splitter treats line feeds
  /// The most sentences, and tokens, that are translated at once, for models that have learnt it
  /// (TextFacts). Of one line only, and with LineBreaks::join of one paragraph.
  std::int64_t together = 1, together_tokens = 0;
  /// The number of previous sentences to translate with each sentence; only its own translation is
  /// kept. If that cannot be separated, the sentence is translated alone. Not over a blank line. Needs splitter and facts.
  /// Not with `together`.
  std::int64_t previous = 0;
  /// Keep what the model cannot read, adapt capitals to what it knows, and search again if a
  /// translation loops. Only the best translation is mended. Excludes prefixes.
  bool mend = true;
  std::optional<TextFacts> facts{};  ///< of the model's training text, if known
};

struct SourceText {
  std::string text;
  std::vector<Mark> marks{};  ///< as in a Block; needs mend
  /// What its translation begins with; only if texts are neither split nor mended.
  std::string prefix{};
  std::string fault{};  ///< why not to translate it; empty: translate it
};

/// What was done to a sentence, and doubts about its translation.
struct SentenceNotes {
  /// Number of kept addresses, placeholders and unknown characters.
  std::int64_t carried = 0;
  std::vector<std::string> unknown{};  ///< the unknown characters
  /// Was in capitals; lost capitals that the model does not know.
  bool raised = false, lowered = false;
  bool copied = false;                 ///< has nothing to translate: is its own translation
  std::int64_t previous = 0;           ///< number of previous sentences it was translated with
  bool alone = false;                  ///< its translation could not be separated from theirs
  bool looped = false, loops = false;  ///< was searched again because it looped; still loops
  std::vector<std::string> missing_numbers{};
  bool is_short = false;  ///< far shorter than usual translations

  bool are_doubts() const { return loops || !missing_numbers.empty() || is_short; }
};

struct TranslatedSentence {
  Sentence part;  ///< its place in the text
  Translation translation;
  std::string text;      ///< mended
  bool divided = false;  ///< a part of a sentence that was too long for the model
  SentenceNotes notes{};
  std::size_t tag_begin =
      0;  ///< where the tag before it begins in the text; without one part.begin
};

struct TranslatedText {
  std::string text;
  std::vector<Mark> marks{};  ///< all marks of the source, at their new places
  std::vector<TranslatedSentence> sentences{};
  std::string fault{};  ///< why there is no translation; `text` is empty then
};

/// Called with each text's translation, in the order of texts, by one thread at a time.
using TakeText = std::function<void(std::int64_t number, TranslatedText translated)>;

class TextTranslator {
 public:
  /// translator: must outlive this.
  TextTranslator(const SentenceTranslator& translator, const TextTranslateOptions& options);

  /// Translates texts that follow those of the previous call. An empty text separates its
  /// neighbours.
  void translate(const std::vector<SourceText>& sources, const TakeText& take,
                 const SentenceProgress& progress = {});

 private:
  /// The most tokens of a sentence that is translated whole.
  std::size_t room_for(const std::string& language) const;
  /// Divides a sentence into pieces of at most `room` tokens, if it has more without what mending takes out.
  std::vector<Sentence> pieces_of(std::string_view sentence, std::size_t room) const;
  /// Adds the parts of one text as units, or says why there are none.
  std::string add_parts(const SourceText& source, std::size_t number,
                        std::vector<TranslationUnit>& units) const;
  /// Adds the units of one text, or sets the fault.
  void add_units(const SourceText& source, std::size_t number, SentencePreparer& preparer,
                 std::vector<TranslationUnit>& units, std::string& fault) const;
  /// Divides a text into units to translate.
  std::vector<Sentence> parts_of(std::string_view text) const;
  /// The input of each unit, with its previous sentences.
  std::vector<std::string> inputs_of(std::vector<TranslationUnit>& units,
                                     const std::vector<SourceText>& sources);
  std::string input_of(const TranslationUnit& unit) const;
  SourceSentence sentence_of(std::string input, const TranslationUnit& unit) const;
  bool take_own(TranslationUnit& unit) const;
  void finish(TranslationUnit& unit) const;
  void search_alone(std::vector<TranslationUnit>& units) const;
  void examine(TranslationUnit& unit) const;
  void search_anew(std::vector<TranslationUnit>& units) const;
  void carry_over(std::vector<TranslationUnit>& units) const;

  const SentenceTranslator& translator_;
  TextTranslateOptions options_;
  PreviousSentences previous_;
  std::optional<SentenceSplitter> target_splitter_;  // if previous > 0
  std::int64_t texts_ = 0;                           // in earlier calls
};

}  // namespace kette

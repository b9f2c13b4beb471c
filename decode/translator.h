// Translates sentences of text: encodes them, searches for all at once, and decodes. Results are in
// the order of sentences. They do not depend on batching, order or number of threads: tokens and
// scores are the same, bit for bit. Has its own copy of the weights (for_decoding()), so make a new
// Translator after training.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/sentences/text_units.h"
#include "data/tokenizers/tokenizer.h"
#include "decode/translate_ids.h"

namespace kette {

/// A sentence to translate, as text.
struct SourceSentence {
  std::string text{};  ///< if it has no tokens, the translation is empty with score 0
  /// Target language, for models of several (Tokenizer::tag_of()); empty: none. A tag of the text itself comes first.
  std::string language{};
  std::string prefix{};  ///< what the translation begins with
  /// Tokens of a loop to avoid in a search, instead of a prefix (decode/loops.h).
  std::vector<std::int32_t> loop{};
  /// Cut it to the model's positions; false: too long is an Error with its number.
  bool truncate = false;
  std::int64_t number = 0;  ///< as SourceIds::number
};
/// One for each line, numbered from `first` on.
std::vector<SourceSentence> source_sentences(const std::vector<std::string>& lines,
                                             const std::string& language = "",
                                             bool truncate = false, std::int64_t first = 0);

struct Translation {
  struct Alternative {
    std::string text;
    Hypothesis hypothesis;
    double utility = 0;  ///< expected utility, for minimum risk
  };
  std::string text;                 ///< the best translation
  std::vector<Alternative> n_best;  ///< by score or utility, best first; samples in their order
  bool truncated = false;           ///< the source was cut
};

/// Called with the translation of sentence i, in order, by one thread at a time.
using TakeTranslation = std::function<void(std::int64_t i, Translation translation)>;

/// The interface of a translator of sentences that also aligns words: a model, or a substitute in
/// tests.
class SentenceTranslator {
 public:
  virtual ~SentenceTranslator() = default;
  /// Calls take() as soon as a sentence and all before it are done. Samples and minimum risk come
  /// when all are done.
  virtual void translate(const std::vector<SourceSentence>& sentences,
                         const DecodingOptions& options, const WorkOptions& work,
                         const TakeTranslation& take,
                         const SentenceProgress& progress = {}) const = 0;
  /// The word alignment of each source with its translation. language: of the translations.
  virtual std::vector<UnitLinks> align(const std::vector<std::string>& sources,
                                       const std::vector<std::string>& translations,
                                       const std::string& language,
                                       const WorkOptions& work) const = 0;
  virtual const SharedTokenizer& tokenizer() const = 0;
  /// The most tokens of a source that fit in the model's positions, without end mark and language
  /// tag.
  virtual std::size_t longest_source(const std::string& language) const = 0;
};

class Translator final : public SentenceTranslator {
 public:
  Translator(const Ensemble& model, SharedTokenizer tokenizer, const DecodingTypes& types = {});

  std::vector<Translation> translate(const std::vector<SourceSentence>& sentences,
                                     const DecodingOptions& options = {},
                                     const WorkOptions& work = {},
                                     const SentenceProgress& progress = {}) const;
  void translate(const std::vector<SourceSentence>& sentences, const DecodingOptions& options,
                 const WorkOptions& work, const TakeTranslation& take,
                 const SentenceProgress& progress = {}) const override;

  std::vector<UnitLinks> align(const std::vector<std::string>& sources,
                               const std::vector<std::string>& translations,
                               const std::string& language, const WorkOptions& work) const override;
  const SharedTokenizer& tokenizer() const override { return tokenizer_; }
  std::size_t longest_source(const std::string& language) const override;
  /// Made ready for decoding.
  const Ensemble& model() const { return model_; }

 private:
  /// found: called with each sentence's translation by all workers, in any order.
  void find(const std::vector<SourceSentence>& sentences, const DecodingOptions& options,
            const WorkOptions& work, bool early, const SentenceProgress& progress,
            const TakeTranslation& found) const;

  struct LazyAligner;

  Ensemble model_;
  SharedTokenizer tokenizer_;
  std::shared_ptr<LazyAligner> aligner_;  // made at the first use: most runs have no marks to place
};

}  // namespace kette

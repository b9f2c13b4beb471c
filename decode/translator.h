// Translation of sentences: pieces, a search over all of them at once, text again. Results come in the order of the
// sentences and do not depend on how they are batched, on their order, or on the number of threads: the same tokens and
// the same scores, bit for bit. Makes its own copy of the weights (for_decoding()): after training, make a new one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/sentences/text_units.h"
#include "data/tokenizers/tokenizer.h"
#include "decode/translate_ids.h"

namespace kette {

/// A sentence to translate, as text.
struct SourceSentence {
  std::string text{};  ///< without pieces: has an empty translation of score 0
  std::string
      language{};  ///< what to translate to, of a model of several (Tokenizer::tag_of()); or none
  std::string prefix{};  ///< what the translation begins with
  std::vector<std::int32_t>
      loop{};  ///< instead, for a search: tokens not to run in circles of (decode/loops.h)
  bool truncate =
      false;  ///< cut it to the positions of the model, instead of an Error with its number
  std::int64_t number = 0;  ///< as SourceIds::number
};
/// Numbered from `first` on.
std::vector<SourceSentence> source_sentences(const std::vector<std::string>& lines,
                                             const std::string& language = "",
                                             bool truncate = false, std::int64_t first = 0);

struct Translation {
  struct Alternative {
    std::string text;
    Hypothesis hypothesis;
    double utility = 0;  ///< expected, where that was asked for
  };
  std::string text;                 ///< of the best
  std::vector<Alternative> n_best;  ///< falling by score or by utility, or as they were drawn
  bool truncated = false;           ///< the source was cut
};

/// Given the translation of sentence i, in the order of the sentences, by one thread at a time.
using TakeTranslation = std::function<void(std::int64_t i, Translation translation)>;

/// What translates sentences, and says which of their words became which: a model, or a stand-in for one.
class SentenceTranslator {
 public:
  virtual ~SentenceTranslator() = default;
  /// Each as soon as it and those before it are done; of samples, and of what has the least risk, once all are.
  virtual void translate(const std::vector<SourceSentence>& sentences,
                         const DecodingOptions& options, const WorkOptions& work,
                         const TakeTranslation& take,
                         const SentenceProgress& progress = {}) const = 0;
  /// Of each pair of a source and its translation, which is in that language.
  virtual std::vector<UnitLinks> align(const std::vector<std::string>& sources,
                                       const std::vector<std::string>& translations,
                                       const std::string& language,
                                       const WorkOptions& work) const = 0;
  virtual const SharedTokenizer& tokenizer() const = 0;
  /// The most tokens of a source, as there are positions: without end mark, and tag if a language has one.
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
  /// found: given each sentence's translation by all workers, in any order.
  void find(const std::vector<SourceSentence>& sentences, const DecodingOptions& options,
            const WorkOptions& work, bool early, const SentenceProgress& progress,
            const TakeTranslation& found) const;

  Ensemble model_;
  SharedTokenizer tokenizer_;
};

}  // namespace kette

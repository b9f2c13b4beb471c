// Translation of texts: pieces, beam search over all lines at once, text again. Results come in the
// order of the lines and do not depend on how lines are batched, on their order, or on the number
// of threads: the same tokens and the same scores, bit for bit. Makes its own copy of the weights
// (for_decoding()): after training, make a new one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/sentences/text_units.h"
#include "data/tokenizers/tokenizer.h"
#include "decode/beam.h"
#include "decode/constraint.h"
#include "decode/ensemble.h"
#include "decode/job_queue.h"
#include "decode/minimum_risk.h"
#include "decode/sampling.h"

namespace kette {

struct TranslateOptions : SearchOptions {
  /// How much each worker has at once: the sum over its sentences of beam * (source tokens + 1).
  /// More is faster up to some hundred rows (sentences * beam) and takes more memory.
  std::int64_t batch_tokens = 8192;
  std::int64_t threads = 0;  ///< 0: all
  /// Cut sources that the model has no positions for, instead of an Error with the line's number.
  bool truncate = false;
  /// Of a model that was trained on several: what to translate to (Tokenizer::tag_of()); empty: no tag is put before
  /// the sources.
  std::string language{};
  /// Draw n_best translations of each source by chance, instead of searching for the likeliest.
  std::optional<SamplingOptions> sampling;
  /// Of the n_best translations, searched for or drawn, take the one of least risk by this metric (decode/minimum_risk.h).
  /// A Translator does this, translate_ids() does not.
  std::optional<std::string> minimum_risk;
  /// Given the tokens of a source, those that a search may choose from (decode/shortlist.h), on a CPU: the end mark,
  /// the unknown piece where it is allowed, and what prefixes have are added. None: all.
  std::function<std::vector<std::int32_t>(std::span<const std::int32_t> source)> shortlist{};
  /// Which text the first is: draws of the same text are the same, whatever is translated with it.
  std::int64_t first_number = 0;

  /// What each translation may go on with, in the place of prefixes; outlives the search.
  const Constraint* constraint = nullptr;
  /// Of each source the tokens that its translation must not run in circles of (decode/loops.h), or none for all; also
  /// in the place of prefixes.
  std::vector<std::vector<std::int32_t>> loops{};

  /// Looks into every pass, of several threads at once.
  Tap* tap = nullptr;

  /// A search anew for sources whose translations run in circles, without what only the first search has.
  TranslateOptions without(std::vector<std::vector<std::int32_t>> circles) const;
  /// Throws an Error that names the option that makes no sense.
  void check() const;
};

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

/// Given each line's translation, in the order of the lines, by one thread at a time.
using TakeTranslation = std::function<void(std::int64_t line, Translation translation)>;

/// What translates sentences, and says which of their words became which: a model, or a stand-in for one.
class SentenceTranslator {
 public:
  virtual ~SentenceTranslator() = default;
  /// Each as soon as it and those before it are done; of samples, and of what has the least risk, once all are.
  /// prefixes: what the translation of each line begins with, or none for all.
  virtual void translate(const std::vector<std::string>& lines, const TranslateOptions& options,
                         const TakeTranslation& take, const SentenceProgress& progress = {},
                         const std::vector<std::string>& prefixes = {}) const = 0;
  /// Of each pair of a source and its translation.
  virtual std::vector<UnitLinks> align(const std::vector<std::string>& sources,
                                       const std::vector<std::string>& translations,
                                       const TranslateOptions& options) const = 0;
  virtual const SharedTokenizer& tokenizer() const = 0;
  /// The most tokens of a source, as there are positions: without end mark, and tag if a language has one.
  virtual std::size_t longest_source(const std::string& language) const = 0;
};

class Translator final : public SentenceTranslator {
 public:
  Translator(const Ensemble& model, SharedTokenizer tokenizer, const DecodingTypes& types = {});

  /// A line without pieces gives an empty translation of score 0. prefixes: what the translation of each
  /// line begins with, or none for all.
  std::vector<Translation> translate(const std::vector<std::string>& lines,
                                     const TranslateOptions& options = {},
                                     const SentenceProgress& progress = {},
                                     const std::vector<std::string>& prefixes = {}) const;
  void translate(const std::vector<std::string>& lines, const TranslateOptions& options,
                 const TakeTranslation& take, const SentenceProgress& progress = {},
                 const std::vector<std::string>& prefixes = {}) const override;

  std::vector<UnitLinks> align(const std::vector<std::string>& sources,
                               const std::vector<std::string>& translations,
                               const TranslateOptions& options) const override;
  const SharedTokenizer& tokenizer() const override { return tokenizer_; }
  std::size_t longest_source(const std::string& language) const override;

 private:
  /// found: given each line's translation by all workers, in any order.
  void find(const std::vector<std::string>& lines, const TranslateOptions& options,
            const std::vector<std::string>& prefixes, bool early, const SentenceProgress& progress,
            const TakeTranslation& found) const;

  Ensemble model_;
  SharedTokenizer tokenizer_;
};

/// The same for ids without end marks and a model made ready for decoding: the n best hypotheses of
/// each sentence. An empty one has the empty hypothesis. prefixes: as above.
std::vector<std::vector<Hypothesis>> translate_ids(
    const Ensemble& model, const std::vector<std::vector<std::int32_t>>& sources,
    const TranslateOptions& options = {}, const SentenceProgress& progress = {},
    const std::vector<std::vector<std::int32_t>>& prefixes = {});

}  // namespace kette

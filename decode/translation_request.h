// A translation request: the source, and the options of decoding. As requests of the engine
// (decode/engine.h), sentences with different options are translated at the same time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decode/beam.h"
#include "decode/constraint.h"
#include "decode/engine.h"
#include "decode/sampling.h"

namespace kette {

/// The tokens that a search may choose from, for a source (decode/shortlist.h).
using ShortlistOf = std::function<std::vector<std::int32_t>(std::span<const std::int32_t> source)>;

/// Options of decoding a sentence: by search, or by sampling.
struct DecodingOptions {
  SearchOptions search;
  /// If set: sample search.n_best translations, with the lengths that `search` allows.
  std::optional<SamplingOptions> sampling{};
  /// If set: choose the translation of least risk by this metric among search.n_best
  /// (decode/minimum_risk.h). Only Translator does this; translate_ids() does not.
  std::optional<std::string> minimum_risk{};
  /// For a search on a CPU. The end mark, the unknown piece if allowed, and the tokens of prefixes
  /// are added.
  ShortlistOf shortlist{};

  DecodingOptions() = default;
  DecodingOptions(const SearchOptions& alone)
      : search(alone) {}  // NOLINT(google-explicit-constructor)

  /// The options to translate again after a loop: without shortlist and minimum risk.
  DecodingOptions for_retry() const;
  /// The number of rows of a sentence.
  std::int64_t rows() const { return sampling ? search.n_best : search.beam; }
  /// Throws an Error that names the option that makes no sense.
  void check() const;
};

/// A sentence to translate.
struct SourceIds {
  std::vector<std::int32_t> ids;       ///< without end mark; if empty, so is the translation
  std::vector<std::int32_t> prefix{};  ///< what the translation begins with
  /// What the translation may consist of, instead of a prefix; only for a search.
  std::shared_ptr<const Constraint> constraint{};
  std::int64_t number = 0;  ///< number of the text, for the random draws
};

/// Throws an Error unless the sentence fits in the model's positions and suits the options. what:
/// the sentence's name in the Error.
void check_source(const SourceIds& source, const DecodingOptions& options, const Ensemble& model,
                  const char* what = "sentence");

/// The request without shortlist, which takes longer to make. source: checked and not empty.
/// number: of the request.
Request translation_request(const SourceIds& source, const DecodingOptions& options,
                            const Ensemble& model, std::int64_t number);
/// Request::shortlist of a source; empty if the options have none.
std::vector<std::int32_t> shortlist_of(const SourceIds& source, const DecodingOptions& options,
                                       const SpecialTokens& special);

}  // namespace kette

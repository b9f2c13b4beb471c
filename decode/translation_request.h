// What is asked for of a translation: of which source, and how it is to be found. As requests of the engine
// (decode/engine.h), sentences with options of their own are translated at the same time.
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

/// Of the tokens of a source those that a search may choose from (decode/shortlist.h).
using ShortlistOf = std::function<std::vector<std::int32_t>(std::span<const std::int32_t> source)>;

/// How translations of a sentence are found: the likeliest ones are searched for, or some are drawn.
struct DecodingOptions {
  SearchOptions search;
  /// Draw search.n_best translations instead, each of at most as many tokens as search allows.
  std::optional<SamplingOptions> sampling{};
  /// Of the search.n_best translations take the one of least risk by this metric (decode/minimum_risk.h). A Translator
  /// does this; translate_ids() does not.
  std::optional<std::string> minimum_risk{};
  /// For a search on a CPU. The end mark, the unknown piece where it is allowed, and what prefixes have are added.
  ShortlistOf shortlist{};

  DecodingOptions() = default;
  DecodingOptions(const SearchOptions& alone)
      : search(alone) {}  // NOLINT(google-explicit-constructor)

  /// For sentences whose translations run in circles: a search anew, without what only the first one has.
  DecodingOptions of_loops() const;
  /// Translations that are at work at once.
  std::int64_t rows() const { return sampling ? search.n_best : search.beam; }
  /// Throws an Error that names the option that makes no sense.
  void check() const;
};

/// A sentence to translate.
struct SourceIds {
  std::vector<std::int32_t> ids;       ///< without end mark; of none the translation is empty
  std::vector<std::int32_t> prefix{};  ///< what the translation begins with
  std::shared_ptr<const Constraint>
      constraint{};         ///< instead, what it may go on with; for a search
  std::int64_t number = 0;  ///< which text it is: what is drawn for a text depends on it alone
};

/// Throws an Error unless the sentence fits in the model's positions and goes with the options. what: it is called.
void check_source(const SourceIds& source, const DecodingOptions& options, const Ensemble& model,
                  const char* what = "sentence");

/// As the engine takes it, but without its shortlist, which takes a while to make. source: checked, and not empty.
/// number: the request's.
Request translation_request(const SourceIds& source, const DecodingOptions& options,
                            const Ensemble& model, std::int64_t number);
/// Request::shortlist of it; none where the options have none.
std::vector<std::int32_t> shortlist_of(const SourceIds& source, const DecodingOptions& options,
                                       const SpecialTokens& special);

}  // namespace kette

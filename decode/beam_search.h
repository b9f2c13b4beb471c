// Beam search over many texts at once, translations or what goes on from prompts. Their beams are the
// rows of one EnsembleState, so that every product has many rows; texts that are done leave, and new
// ones take their place before the batch gets thin. What comes out for a text does not depend on the
// texts beside it, to the last bit.
#pragma once

#include <functional>
#include <span>

#include "decode/beam.h"
#include "decode/ensemble.h"
#include "decode/next_tokens.h"

namespace kette {

/// A text to search for. What it begins with must stay where it is until it is done.
struct SearchJob {
  std::int64_t number = 0;
  RowStart start;
  std::int32_t first = 0;    ///< the token before those searched for: <s>, or the last of a prompt
  std::int64_t longest = 0;  ///< of so many tokens at most, end mark not counted
  /// Of these tokens alone (decode/shortlist.h), rising, the end mark among them; none: of all.
  std::vector<std::int32_t> shortlist{};

  /// Its share of the budget: all its beams may come to look back about as far as what is given is
  /// long.
  std::int64_t cost(std::int64_t beam) const {
    return beam * std::max<std::int64_t>(1, std::ssize(start.source) + std::ssize(start.past));
  }
};

/// Jobs whose costs add up to at most `room`, but one at least when `idle`; none when there are no
/// more.
using SupplyJobs = std::function<std::vector<SearchJob>(std::int64_t room, bool idle)>;
using FinishJob = std::function<void(std::int64_t number, std::vector<Hypothesis> n_best)>;

/// Who looks into a search.
struct SearchHooks {
  Tap* tap = nullptr;  ///< into every pass of the model
  /// Of a text, when its beam has chosen what its hypotheses go on with, and before they do.
  std::function<void(std::int64_t number, const Beam& beam)> chosen{};
};

/// Runs until the supply is empty and everything is finished. budget: the sum of the costs of what
/// is alive.
void beam_search(const Ensemble& model, const SearchVocabulary& vocabulary,
                 const SearchOptions& options, std::int64_t budget, const SupplyJobs& supply,
                 const FinishJob& finish, const SearchHooks& hooks = {});

}  // namespace kette

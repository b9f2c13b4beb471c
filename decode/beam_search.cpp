#include "decode/beam_search.h"

#include <algorithm>

#include "decode/decoder_state.h"
#include "decode/next_tokens.h"
#include "decode/search_limits.h"

namespace kette {
namespace {

struct Searched {
  SearchJob job;
  Beam beam;
};

std::vector<std::int32_t> next_inputs(const std::vector<Searched>& sentences, std::int32_t begin) {
  std::vector<std::int32_t> tokens;
  for (const Searched& sentence : sentences) {
    for (const Hypothesis& hypothesis : sentence.beam.live()) {
      tokens.push_back(hypothesis.tokens.empty() ? begin : hypothesis.tokens.back());
    }
  }
  return tokens;
}

/// Enough of each row for ordinary beams, and in wider ones for nearly all rows.
constexpr std::int64_t kFew = 32;

/// Lets a beam choose among few continuations of each of its rows, and among more of those that
/// might hide one of the best. Of a row that had n chosen no more than 4 n are looked at.
void choose(Beam& beam, NextTokens& next, std::int64_t first_row, std::int64_t most) {
  for (std::int64_t count = 4 * kFew;; count *= 4) {
    std::vector<std::int64_t> rows = beam.consider(next.rows(first_row, beam.live().size()));
    if (rows.empty()) return;
    for (std::int64_t& row : rows) row += first_row;
    next.ask_again(rows, std::min(count, most));
  }
}

}  // namespace

void beam_search(const PackedTransformer& model, const SearchOptions& options, std::int64_t budget,
                 const SupplyJobs& supply, const FinishJob& finish) {
  options.check();
  // </s> is asked for by itself: whether it may come is the beam's to say.
  const SpecialTokens special = model.config().special;
  std::vector<std::int32_t> banned{special.pad, special.begin, special.end};
  if (!options.allow_unknown) banned.push_back(special.unknown);
  const Tensor banned_there = Tensor::from(banned, model.device());

  DecoderState state(model);
  std::vector<Searched> sentences;
  std::int64_t cost = 0;
  for (;;) {
    // Encoding a few sentences at a time wastes the products, so room is left to gather first.
    if (sentences.empty() || 4 * cost <= 3 * budget) {
      std::vector<std::span<const std::int32_t>> sources;
      for (const SearchJob& job : supply(budget - cost, sentences.empty())) {
        cost += job.cost(options.beam);
        sources.push_back(job.source);
        sentences.push_back(
            {job,
             Beam(options, longest_output(options, model.config(), job.length()), special.end)});
      }
      state.add(sources);
    }
    if (sentences.empty()) return;

    NextTokens next(model, state.step(next_inputs(sentences, special.begin)),
                    std::min(options.candidates(), kFew), banned_there, special.end);
    std::vector<std::int64_t> parents;
    std::int64_t row = 0;
    for (Searched& sentence : sentences) {
      const auto width = static_cast<std::int64_t>(sentence.beam.live().size());
      choose(sentence.beam, next, row, options.candidates());
      const std::vector<std::int64_t> chosen = sentence.beam.advance(row);
      parents.insert(parents.end(), chosen.begin(), chosen.end());
      row += width;
      if (!chosen.empty()) continue;
      cost -= sentence.job.cost(options.beam);
      finish(sentence.job.number, sentence.beam.n_best());
    }
    std::erase_if(sentences, [](const Searched& sentence) { return sentence.beam.live().empty(); });
    state.select(parents);
  }
}

}  // namespace kette

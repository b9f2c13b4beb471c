#include "decode/beam_search.h"

#include <algorithm>

#include "decode/decoder_state.h"

namespace kette {
namespace {

struct Searched {
  SearchJob job;
  Beam beam;
};

std::int64_t longest_output(const SearchOptions& options, const SearchJob& job,
                            const TransformerConfig& config) {
  const std::int64_t positions = config.max_length - 1;  // <s> takes one
  if (options.forced_length > 0) {
    KETTE_CHECK(options.forced_length <= config.max_length, "forced length: expected at most ",
                config.max_length, ", the positions of the model, given ", options.forced_length);
    return options.forced_length;
  }
  const std::int64_t relative = static_cast<std::int64_t>(job.source.size()) + options.extra_length;
  const std::int64_t limit = std::min(relative, positions);
  return options.max_length > 0 ? std::min(limit, options.max_length) : limit;
}

std::vector<std::int32_t> next_inputs(const std::vector<Searched>& sentences, std::int32_t begin) {
  std::vector<std::int32_t> tokens;
  for (const Searched& sentence : sentences) {
    for (const Hypothesis& hypothesis : sentence.beam.live()) {
      tokens.push_back(hypothesis.tokens.empty() ? begin : hypothesis.tokens.back());
    }
  }
  return tokens;
}

}  // namespace

void beam_search(const PackedTransformer& model, const SearchOptions& options, std::int64_t budget,
                 const SupplyJobs& supply, const FinishJob& finish) {
  options.check();
  // </s> is asked for by itself: whether it may come is the beam's to say.
  const SpecialTokens special = model.config().special;
  std::vector<std::int32_t> banned{special.pad, special.begin, special.end};
  if (!options.allow_unknown) banned.push_back(special.unknown);

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
            {job, Beam(options, longest_output(options, job, model.config()), special.end)});
      }
      state.add(sources);
    }
    if (sentences.empty()) return;

    const Tensor states = state.step(next_inputs(sentences, special.begin));
    const Predictions predictions = model.predict(
        states, options.candidates(), banned,
        std::vector<std::int32_t>(static_cast<std::size_t>(state.rows()), special.end));
    std::vector<std::int64_t> parents;
    std::int64_t row = 0;
    for (Searched& sentence : sentences) {
      const auto width = static_cast<std::int64_t>(sentence.beam.live().size());
      const std::vector<std::int64_t> chosen = sentence.beam.advance(predictions, row);
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

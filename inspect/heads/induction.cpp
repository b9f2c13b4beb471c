#include "inspect/heads/induction.h"

#include <algorithm>
#include <numeric>

#include "data/corpora/window_sampler.h"

namespace kette {

Batch repeated_at_random(std::int64_t vocabulary, std::int64_t segment, std::int64_t times,
                         std::int64_t count, Random& random) {
  KETTE_CHECK(segment <= vocabulary, "repeated_at_random: expected segments of at most ",
              vocabulary, " tokens, given ", segment);
  std::vector<std::vector<std::int32_t>> sequences;
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<std::int32_t> all(static_cast<std::size_t>(vocabulary));
    std::iota(all.begin(), all.end(), 0);
    for (std::int64_t k = 0; k < segment; ++k) {
      std::swap(all[k], all[k + random.below(vocabulary - k)]);
    }
    std::vector<std::int32_t> tokens;
    for (std::int64_t k = 0; k <= segment * times; ++k) tokens.push_back(all[k % segment]);
    sequences.push_back(std::move(tokens));
  }
  return pack_windows(sequences);
}

std::vector<float> attention_pattern(const Tensor& probabilities, std::int64_t head,
                                     const Segments& segments, std::int64_t sequence) {
  const std::int64_t heads = probabilities.shape()[1];
  const std::vector<float> all = probabilities.values<float>();
  std::vector<float> pattern;
  for (std::int64_t row = segments.begin(sequence); row < segments.end(sequence); ++row) {
    const auto from = all.begin() + (row * heads + head) * probabilities.width();
    pattern.insert(pattern.end(), from, from + segments.length(sequence));
  }
  return pattern;
}

double prefix_matching(std::span<const std::int32_t> tokens, std::span<const float> pattern) {
  const std::int64_t length = std::ssize(tokens);
  double sum = 0;
  std::int64_t queries = 0;
  for (std::int64_t query = 0; query < length; ++query) {
    bool occurred = false;
    for (std::int64_t key = 1; key <= query; ++key) {
      if (tokens[key - 1] != tokens[query]) continue;
      occurred = true;
      sum += static_cast<double>(pattern[query * length + key]);
    }
    queries += occurred;
  }
  return queries > 0 ? sum / static_cast<double>(queries) : 0;
}

std::vector<double> prefix_matching(const std::vector<AttentionPart>& attentions,
                                    const Batch& batch, const Activations& activations) {
  const Segments& segments = batch.target_segments;
  std::vector<double> scores;
  for (const Head& head : heads_of(attentions)) {
    const Tensor& probabilities =
        activations[points::probabilities(attentions[head.attention].path)];
    double sum = 0;
    for (std::int64_t i = 0; i < segments.count(); ++i) {
      const std::span<const std::int32_t> tokens(batch.target_in.data() + segments.begin(i),
                                                 static_cast<std::size_t>(segments.length(i)));
      sum += prefix_matching(tokens, attention_pattern(probabilities, head.head, segments, i));
    }
    scores.push_back(sum / static_cast<double>(segments.count()));
  }
  return scores;
}

std::vector<double> induction_scores(const AutoregressiveModel& model) {
  constexpr std::int64_t kSegment = 25, kTimes = 4;
  const std::int64_t segment = std::min({kSegment, model.positions() / kTimes, model.vocabulary()});
  if (model.has_encoder() || segment < 2) return {};
  Random random(1, 2);
  const Batch batch = repeated_at_random(model.vocabulary(), segment, kTimes, 1, random);
  Activations activations(
      [](const std::string& point) { return points::probabilities.names(point); });
  Run run(&activations);
  model.logits(batch, run);
  return prefix_matching(attentions_of(model), batch, activations);
}

}  // namespace kette

#include "decode/text_scorer.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/linear_cross_entropy.h"
#include "autograd/ops/shaping.h"

namespace kette {

double TextScore::perplexity() const { return std::exp(loss()); }

double TextScore::bits_per_byte() const {
  return negative_log_likelihood / (std::log(2.0) * static_cast<double>(bytes));
}

TextScore& TextScore::operator+=(const TextScore& other) {
  negative_log_likelihood += other.negative_log_likelihood;
  tokens += other.tokens;
  correct += other.correct;
  bytes += other.bytes;
  return *this;
}

std::vector<TextScore> score_alone(std::int64_t parts, const ScoreParts& score) {
  return score(0, parts);
}

namespace {

/// The score of a batch of windows.
TextScore score_batch(const Ensemble& model, const SlidingBatch& windows) {
  Run inference;
  std::vector<Variable> of_each;
  for (const auto& each : model.models()) {
    of_each.push_back(each->decode(Tensor::from(windows.batch.target_in),
                                   PackedSequences(windows.batch.target_segments), inference));
  }
  const Variable states = model.combine(of_each);
  const Tensor next = Tensor::from(windows.batch.target_out);
  const Tensor sums = CrossEntropySums::zeros(model.output().weight.value().device());
  std::int64_t tokens = 0;
  for (const SlidingBatch::Rows& rows : windows.counted) {
    linear_cross_entropy(slice(states, rows.begin, rows.end), model.output().weight,
                         model.output().bias, next.slice(rows.begin, rows.end), {}, sums);
    tokens += rows.end - rows.begin;
  }
  const CrossEntropySums totals = CrossEntropySums::of(sums);
  KETTE_CHECK(std::isfinite(totals.negative_log_likelihood),
              "score: expected finite log-probabilities, given ", -totals.negative_log_likelihood,
              " (the model's activations grow beyond the numbers there are)");
  return {totals.negative_log_likelihood, tokens, static_cast<std::int64_t>(totals.correct)};
}

}  // namespace

TextScore score_text(const Ensemble& model, const TokenStream& text,
                     const TextScoreOptions& options, const ScoreProgress& progress,
                     const ShareParts& share) {
  const std::int64_t longest = model.positions();
  const std::int64_t context = options.context > 0 ? options.context : longest;
  KETTE_CHECK(context <= longest, "context: expected at most ", longest,
              " tokens, as many as the model sees at once, given ", context);
  const std::int64_t stride =
      options.stride > 0 ? options.stride : std::max<std::int64_t>(1, context / 2);
  const std::vector<SlidingWindow> windows = plan_sliding(text.size(), context, stride);
  const std::int64_t count = std::ssize(windows),
                     of_batch = std::max<std::int64_t>(1, options.batch_tokens / context);
  const auto score = [&](std::int64_t begin, std::int64_t end) {
    std::vector<TextScore> scores;
    for (std::int64_t batch = begin; batch < end; ++batch) {
      const std::int64_t first = batch * of_batch, last = std::min(count, first + of_batch);
      scores.push_back(score_batch(
          model, make_sliding_batch(text, {windows.begin() + first, windows.begin() + last})));
      if (progress)
        progress(static_cast<double>(batch + 1 - begin) / static_cast<double>(end - begin));
    }
    return scores;
  };
  TextScore total;
  for (const TextScore& part : share((count + of_batch - 1) / of_batch, score)) total += part;
  total.bytes = text.info().bytes;
  return total;
}

}  // namespace kette

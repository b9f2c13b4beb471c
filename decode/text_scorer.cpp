#include "decode/text_scorer.h"

#include <algorithm>
#include <cmath>

namespace kette {

double TextScore::perplexity() const { return std::exp(loss()); }

double TextScore::bits_per_byte() const {
  return negative_log_likelihood / (std::log(2.0) * static_cast<double>(bytes));
}

TextScore score_text(const Ensemble& model, const TokenFile& text, const TextScoreOptions& options,
                     const ScoreProgress& progress) {
  const std::int64_t longest = model.positions();
  const std::int64_t context = options.context > 0 ? options.context : longest;
  KETTE_CHECK(context <= longest, "context: expected at most ", longest,
              " tokens, as many as the model sees at once, given ", context);
  const std::int64_t stride =
      options.stride > 0 ? options.stride : std::max<std::int64_t>(1, context / 2);
  const std::vector<SlidingWindow> windows = plan_sliding(text.size(), context, stride);
  const auto batch =
      static_cast<std::size_t>(std::max<std::int64_t>(1, options.batch_tokens / context));
  const Tensor sums = CrossEntropySums::zeros(model.output().weight.value().device());
  for (std::size_t first = 0; first < windows.size(); first += batch) {
    const std::size_t count = std::min(batch, windows.size() - first);
    const SlidingBatch part = make_sliding_batch(text, std::span(windows).subspan(first, count));
    Run inference;
    std::vector<Variable> of_each;
    for (const auto& each : model.models()) {
      of_each.push_back(each->decode(Tensor::from(part.batch.target_in),
                                     PackedSequences(part.batch.target_segments), inference));
    }
    const Variable states = model.together(of_each);
    const Tensor next = Tensor::from(part.batch.target_out);
    for (const SlidingBatch::Rows& rows : part.counted) {
      linear_cross_entropy(slice(states, rows.begin, rows.end), model.output().weight,
                           model.output().bias, next.slice(rows.begin, rows.end), {}, sums);
    }
    if (progress) {
      progress(static_cast<double>(first + count) / static_cast<double>(windows.size()));
    }
  }
  const CrossEntropySums totals = CrossEntropySums::of(sums);
  KETTE_CHECK(std::isfinite(totals.negative_log_likelihood),
              "score: expected finite log-probabilities, given ", -totals.negative_log_likelihood,
              " (the model's activations grow beyond the numbers there are)");
  return {totals.negative_log_likelihood, text.size(), static_cast<std::int64_t>(totals.correct),
          text.info().bytes};
}

}  // namespace kette

#include "decode/scorer.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "decode/predictions.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

void check(const Ensemble& model, const std::vector<Ids>& sources, const std::vector<Ids>& targets,
           const ScoreOptions& options) {
  KETTE_CHECK(sources.size() == targets.size(),
              "score: expected as many targets as sources, given ", sources.size(), " sources and ",
              targets.size(), " targets");
  KETTE_CHECK(options.batch_tokens > 0, "batch tokens: expected at least 1, given ",
              options.batch_tokens);
  const auto limit = static_cast<std::size_t>(model.positions() - 1);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    KETTE_CHECK(sources[i].size() <= limit && targets[i].size() <= limit,
                "score: expected at most ", limit, " tokens in a sentence, given ",
                sources[i].size(), " source and ", targets[i].size(), " target tokens in sentence ",
                i + 1);
  }
}

/// The sources as the encoder reads them.
std::vector<Ids> ended(const std::vector<Ids>& sources, std::int32_t end) {
  std::vector<Ids> result = sources;
  for (Ids& source : result) source.push_back(end);
  return result;
}

/// Scores some sentences side by side; `numbers` falls in target length, so that rows end from the
/// back.
void score_batch(const Ensemble& model, const std::vector<Ids>& sources,
                 const std::vector<Ids>& targets, const std::vector<std::int64_t>& numbers,
                 std::vector<SentenceScore>& scores) {
  const SpecialTokens special = model.special();
  EnsembleState state(model);
  std::vector<RowStart> starts;
  for (const std::int64_t number : numbers) {
    starts.push_back({sources[number], {}});
  }
  state.add(starts);
  Ids inputs(numbers.size(), special.begin);
  std::vector<std::int64_t> going_on;
  for (std::size_t t = 0; !inputs.empty(); ++t) {
    Ids wanted;
    going_on.clear();
    for (std::size_t row = 0; row < inputs.size(); ++row) {
      const Ids& target = targets[numbers[row]];
      wanted.push_back(t < target.size() ? target[t] : special.end);
      if (t < target.size()) going_on.push_back(static_cast<std::int64_t>(row));
    }
    const Predictions predictions =
        predict(model.output(), state.step(inputs), 1, {}, Tensor::from(wanted, model.device()));
    for (std::size_t row = 0; row < inputs.size(); ++row) {
      SentenceScore& score = scores[numbers[row]];
      KETTE_CHECK(std::isfinite(predictions.target_values[row]),
                  "score: expected finite log-probabilities, given ",
                  predictions.target_values[row], " in sentence ", numbers[row] + 1,
                  " (the model's activations grow beyond the numbers there are)");
      score.token_log_probabilities.push_back(predictions.target_values[row]);
      score.log_probability += double(predictions.target_values[row]);
    }
    state.select(going_on);
    inputs = Ids(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(going_on.size()));
  }
}

}  // namespace

std::vector<SentenceScore> score_ids(const Ensemble& model, const std::vector<Ids>& sources,
                                     const std::vector<Ids>& targets, const ScoreOptions& options,
                                     const SentenceProgress& progress) {
  check(model, sources, targets, options);
  const std::vector<Ids> encoded = ended(sources, model.special().end);
  std::vector<SentenceScore> scores(sources.size());
  std::vector<std::int64_t> costs;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    costs.push_back(static_cast<std::int64_t>(sources[i].size() + targets[i].size()) + 2);
  }
  const std::int64_t least = least_share(options.batch_tokens);
  const Workforce workforce(model.device(), options.threads, costs, least);
  JobQueue queue(std::move(costs), workforce.workers, least);
  std::mutex mutex;
  std::int64_t done = 0;
  workforce.run([&] {
    for (;;) {
      std::vector<std::int64_t> numbers = queue.take(options.batch_tokens, true);
      if (numbers.empty()) return;
      std::stable_sort(numbers.begin(), numbers.end(), [&](std::int64_t a, std::int64_t b) {
        return targets[a].size() > targets[b].size();
      });
      score_batch(model, encoded, targets, numbers, scores);
      const std::lock_guard lock(mutex);
      done += std::ssize(numbers);
      if (progress) progress(done, std::ssize(sources));
    }
  });
  return scores;
}

}  // namespace kette

#include "decode/scorer.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "decode/forced_text.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

void check(const Ensemble& model, const std::vector<Ids>& sources, const std::vector<Ids>& targets,
           const WorkOptions& work) {
  KETTE_CHECK(sources.size() == targets.size(),
              "score: expected as many targets as sources, given ", sources.size(), " sources and ",
              targets.size(), " targets");
  work.check();
  const auto limit = static_cast<std::size_t>(model.positions() - 1);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    KETTE_CHECK(sources[i].size() <= limit && targets[i].size() <= limit,
                "score: expected at most ", limit, " tokens in a sentence, given ",
                sources[i].size(), " source and ", targets[i].size(), " target tokens in sentence ",
                i + 1);
  }
}

}  // namespace

std::vector<SentenceScore> score_ids(const Ensemble& model, const std::vector<Ids>& sources,
                                     const std::vector<Ids>& targets, const WorkOptions& work,
                                     const SentenceProgress& progress) {
  check(model, sources, targets, work);
  const SpecialTokens special = model.special();
  std::vector<SentenceScore> scores(sources.size());
  std::vector<std::int64_t> costs;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    costs.push_back(static_cast<std::int64_t>(sources[i].size() + targets[i].size()) + 2);
  }
  std::mutex mutex;
  std::int64_t done = 0;
  const auto finish = [&](std::int64_t number, std::vector<Hypothesis> found) {
    SentenceScore& score = scores[number];
    score.log_probability = found.front().log_probability;
    score.token_log_probabilities = std::move(found.front().token_log_probabilities);
    for (const float value : score.token_log_probabilities) {
      KETTE_CHECK(std::isfinite(value), "score: expected finite log-probabilities, given ", value,
                  " in sentence ", number + 1,
                  " (the model's activations grow beyond the numbers there are)");
    }
    const std::lock_guard lock(mutex);
    if (progress) progress(++done, std::ssize(sources));
  };
  run_requests(model, work, costs, [&](std::int64_t number) {
    Request request{number, sources[number], {special.begin}};
    request.source.push_back(special.end);
    request.policy = std::make_unique<ForcedText>(targets[number], special.end);
    request.done = [&finish, number](std::vector<Hypothesis> found) {
      finish(number, std::move(found));
    };
    return request;
  });
  return scores;
}

}  // namespace kette

// How well a language model predicts a text, each token from the ones before it: loss, perplexity,
// and bits per byte, which compare models of different tokenizers. The text is read in windows that
// overlap (data/corpora/window_sampler.h, plan_sliding).
#pragma once

#include <functional>
#include <vector>

#include "data/corpora/window_sampler.h"
#include "decode/ensemble.h"

namespace kette {

struct TextScore {
  double negative_log_likelihood = 0;  ///< of all tokens, in nats
  std::int64_t tokens = 0, correct = 0;
  std::int64_t bytes = 0;  ///< of the text

  double loss() const { return negative_log_likelihood / static_cast<double>(tokens); }
  double perplexity() const;
  double bits_per_byte() const;
  TextScore& operator+=(const TextScore& other);
};

struct TextScoreOptions {
  std::int64_t context = 0;  ///< tokens of a window; 0: as many as the model sees
  std::int64_t stride = 0;   ///< tokens between windows; 0: half of the context
  std::int64_t batch_tokens = 8192;
};

/// Told which share is done.
using ScoreProgress = std::function<void(double share)>;

/// Scores parts [begin, end) of a text, one by one.
using ScoreParts = std::function<std::vector<TextScore>(std::int64_t begin, std::int64_t end)>;
/// How many parts come to the score of each. The sum has the same bits whoever scores which.
using ShareParts = std::function<std::vector<TextScore>(std::int64_t parts, const ScoreParts&)>;
/// All of them here.
std::vector<TextScore> score_alone(std::int64_t parts, const ScoreParts& score);

TextScore score_text(const Ensemble& model, const TokenStream& text,
                     const TextScoreOptions& options = {}, const ScoreProgress& progress = {},
                     const ShareParts& share = score_alone);

}  // namespace kette

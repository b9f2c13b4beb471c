// Scores a text with a language model, each token given those before it: loss, perplexity, and bits
// per byte, which is comparable between tokenizers. The text is read in overlapping windows
// (data/corpora/window_sampler.h, plan_sliding).
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
  std::int64_t context = 0;  ///< tokens of a window; 0: the positions of the model
  std::int64_t stride = 0;   ///< tokens between the starts of windows; 0: half of the context
  std::int64_t batch_tokens = 8192;
};

/// Called with the share of the work that is done, from 0 to 1.
using ScoreProgress = std::function<void(double share)>;

/// Scores parts [begin, end) of a text, one by one.
using ScoreParts = std::function<std::vector<TextScore>(std::int64_t begin, std::int64_t end)>;
/// Distributes `parts` parts, and returns the score of each. Their sum has the same bits whoever
/// scores them.
using ShareParts = std::function<std::vector<TextScore>(std::int64_t parts, const ScoreParts&)>;
/// Scores all parts in this process.
std::vector<TextScore> score_alone(std::int64_t parts, const ScoreParts& score);

TextScore score_text(const Ensemble& model, const TokenStream& text,
                     const TextScoreOptions& options = {}, const ScoreProgress& progress = {},
                     const ShareParts& share = score_alone);

}  // namespace kette

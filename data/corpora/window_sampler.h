// The batches of a language model: windows of `context` tokens of one long corpus,
//   target_in   t[i] .. t[i + context - 1]     what the model reads
//   target_out  t[i + 1] .. t[i + context]     what it is to say
// with an empty source. For training, a new random offset and order each epoch; for evaluation,
// overlapping windows that together predict every token once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/corpora/sampler.h"
#include "data/corpora/token_file.h"

namespace kette {

/// Each window is read but for its last token, and is to say all but its first. sentence_ids count them.
Batch pack_windows(const std::vector<std::vector<std::int32_t>>& windows);

struct WindowOptions {
  std::int64_t context = 256;
  /// Windows in a batch.
  std::int64_t rows = 16;
  std::uint64_t seed = 1;
};

/// Windows of training. Where they start and their order are computed, not stored: a corpus of any size
/// costs no memory.
class WindowSampler final : public Sampler {
 public:
  /// The corpus must outlive the sampler.
  WindowSampler(const TokenFile& corpus, const WindowOptions& options);

  /// The last batch of an epoch may have fewer windows. Its sentence_ids are the places of the
  /// windows' first tokens in the corpus.
  Batch peek(std::int64_t ahead) const override;
  TokenCounts tokens(std::int64_t ahead) const override;
  void skip(std::int64_t batches) override;
  const State& state() const override { return state_; }
  void restore(const State& state) override;
  /// An offset may cost a window.
  std::int64_t batches_in_epoch() const override {
    return (windows() + options_.rows - 1) / options_.rows;
  }

 private:
  std::int64_t offset() const;
  std::int64_t windows() const;
  std::int64_t window_start(std::int64_t place) const;
  /// Of the batch at this place.
  std::int64_t windows_in_batch() const {
    return std::min(options_.rows, windows() - state_.position * options_.rows);
  }
  WindowSampler after(std::int64_t batches) const;

  const TokenFile* corpus_;
  WindowOptions options_;
  State state_;
};

/// A window of evaluation. Its tokens are predictions [begin, end) of the corpus, token i from
/// those before it and the first from end_of_text; those from `count_from` on count, the others
/// are its past.
struct SlidingWindow {
  std::int64_t begin = 0, end = 0;
  std::int64_t count_from = 0;
};

/// Windows of at most `context`, `stride` apart, that count each of `tokens` predictions once.
/// Token i is predicted from at least min(i, context - stride) + 1 tokens, end_of_text counted:
/// stride = context is quickest, stride 1 gives every token the longest past (Hugging Face,
/// "Perplexity of fixed-length models").
std::vector<SlidingWindow> plan_sliding(std::int64_t tokens, std::int64_t context,
                                        std::int64_t stride);

struct SlidingBatch {
  struct Rows {
    std::int64_t begin = 0, end = 0;
  };
  Batch batch;
  /// Of each window, the rows of the packed batch that count: the loss is that of these rows of the
  /// states alone, with the same rows of target_out.
  std::vector<Rows> counted;
};

SlidingBatch make_sliding_batch(const TokenFile& corpus, std::span<const SlidingWindow> windows);

}  // namespace kette

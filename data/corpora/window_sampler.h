// The batches of a language model: windows of `context` tokens of one long text or of several,
//   target_in   t[i] .. t[i + context - 1]     what the model reads
//   target_out  t[i + 1] .. t[i + context]     what it is to say
// with an empty source. For training, a new random offset and order each epoch; for evaluation,
// overlapping windows that together predict every token once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "data/corpora/draws.h"
#include "data/corpora/sampler.h"
#include "data/corpora/token_stream.h"

namespace kette {

/// Each window is read but for its last token, and is to say all but its first. sentence_ids count them.
Batch pack_windows(const std::vector<std::vector<std::int32_t>>& windows);

struct WindowOptions {
  std::int64_t context = 256;
  /// Windows in a batch.
  std::int64_t rows = 16;
  std::uint64_t seed = 1;
  /// Of the windows of an epoch, for each of the texts, in each stage, see Draws; empty: one stage, of every window once.
  std::vector<std::vector<double>> shares{};
};

/// Which windows the batches of training have, each of one text. Where they start and their order are computed, not
/// stored: a corpus of any size costs no memory. It needs only the sizes of the texts.
class WindowPlan {
 public:
  using State = Sampler::State;
  struct Window {
    std::int64_t text = 0, start = 0;  ///< its first token, within its text
    /// The place of its first token in all texts one after the other, and behind all of them for a window that came
    /// before in this epoch.
    std::int64_t place = 0;
  };

  /// sizes: the tokens of each text, all more than options.context.
  WindowPlan(std::vector<std::int64_t> sizes, const WindowOptions& options);

  /// The windows of the batch after `ahead` others. The last batch of an epoch may have fewer than options.rows.
  std::vector<Window> windows(std::int64_t ahead) const;
  std::int64_t count(std::int64_t ahead) const { return windows_at(after(ahead)); }
  void skip(std::int64_t batches) { state_ = after(batches); }
  const State& state() const { return state_; }
  void restore(const State& state);
  const WindowOptions& options() const { return options_; }
  std::int64_t batches_in_epoch() const { return batches_in(state_.epoch); }
  std::int64_t stages() const { return std::max<std::int64_t>(1, std::ssize(options_.shares)); }
  void begin_stage(std::int64_t stage);

 private:
  std::int64_t offset(std::int64_t size, std::int64_t epoch) const;
  /// Where the windows of each text end, counted in windows of all.
  std::vector<std::int64_t> ends_of_windows(std::int64_t epoch) const;
  std::int64_t windows_in(std::int64_t epoch) const { return ends_of_windows(epoch).back(); }
  std::int64_t batches_in(std::int64_t epoch) const {
    return (windows_in(epoch) + options_.rows - 1) / options_.rows;
  }
  /// Of the batch there.
  std::int64_t windows_at(const State& state) const {
    return std::min(options_.rows, windows_in(state.epoch) - state.position * options_.rows);
  }
  State after(std::int64_t batches) const;
  Draws draws(const std::vector<std::int64_t>& ends, const State& state) const;
  void check_stage(std::int64_t stage) const;

  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> ends_;  // of the texts, in tokens
  WindowOptions options_;
  State state_;
};

/// Batches of the windows of a plan. Their sentence_ids are the places of the windows.
class WindowSampler final : public Sampler {
 public:
  WindowSampler(std::vector<TokenStream> texts, const WindowOptions& options);

  Batch peek(std::int64_t ahead) const override;
  TokenCounts tokens(std::int64_t ahead) const override {
    return {0, plan_.options().context * plan_.count(ahead)};
  }
  void skip(std::int64_t batches) override { plan_.skip(batches); }
  const State& state() const override { return plan_.state(); }
  void restore(const State& state) override { plan_.restore(state); }
  /// An offset may cost a window.
  std::int64_t batches_in_epoch() const override { return plan_.batches_in_epoch(); }
  std::int64_t stages() const override { return plan_.stages(); }
  /// As far in the epoch as before, which has as many windows in each.
  void begin_stage(std::int64_t stage) override { plan_.begin_stage(stage); }

 private:
  std::vector<TokenStream> texts_;
  WindowPlan plan_;
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

SlidingBatch make_sliding_batch(const TokenStream& corpus, std::span<const SlidingWindow> windows);

}  // namespace kette

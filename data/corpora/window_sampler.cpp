#include "data/corpora/window_sampler.h"

#include <algorithm>
#include <utility>

#include "data/corpora/purpose.h"
#include "data/corpora/shuffled_place.h"
#include "tensor/error.h"
#include "tensor/splitmix.h"

namespace kette {

Batch pack_windows(const std::vector<std::vector<std::int32_t>>& windows) {
  Batch batch;
  std::vector<std::int64_t> lengths;
  for (const std::vector<std::int32_t>& window : windows) {
    batch.target_in.insert(batch.target_in.end(), window.begin(), window.end() - 1);
    batch.target_out.insert(batch.target_out.end(), window.begin() + 1, window.end());
    batch.sentence_ids.push_back(std::ssize(lengths));
    lengths.push_back(std::ssize(window) - 1);
  }
  batch.target_segments = Segments::from_lengths(lengths);
  return batch;
}

WindowSampler::WindowSampler(const TokenFile& corpus, const WindowOptions& options)
    : corpus_(&corpus), options_(options) {
  KETTE_CHECK(options.context > 0, "context: expected at least 1 token, given ", options.context);
  KETTE_CHECK(options.rows > 0, "rows: expected at least 1 window in a batch, given ",
              options.rows);
  KETTE_CHECK(corpus.size() > options.context, "corpus: expected at least one window of ",
              options.context, " + 1 tokens, given ", corpus.size(),
              " tokens (take a shorter context or more text)");
}

Batch WindowSampler::peek(std::int64_t ahead) const {
  const WindowSampler there = after(ahead);
  std::vector<std::vector<std::int32_t>> windows;
  std::vector<std::int64_t> starts;
  for (std::int64_t i = 0; i < there.windows_in_batch(); ++i) {
    starts.push_back(there.window_start(there.state_.position * options_.rows + i));
    windows.push_back(corpus_->copy(starts.back(), options_.context + 1));
  }
  Batch batch = pack_windows(windows);
  batch.sentence_ids = std::move(starts);
  return batch;
}

TokenCounts WindowSampler::tokens(std::int64_t ahead) const {
  return {0, options_.context * after(ahead).windows_in_batch()};
}

void WindowSampler::skip(std::int64_t batches) {
  state_.position += batches;
  while (state_.position >= batches_in_epoch()) {
    state_ = {state_.epoch + 1, state_.position - batches_in_epoch()};
  }
}

WindowSampler WindowSampler::after(std::int64_t batches) const {
  WindowSampler there = *this;
  there.skip(batches);
  return there;
}

void WindowSampler::restore(const State& state) {
  KETTE_CHECK(state.epoch >= 0, "WindowSampler: expected an epoch of at least 0, given ",
              state.epoch);
  WindowSampler restored = *this;
  restored.state_ = state;
  const std::int64_t batches = restored.batches_in_epoch();
  KETTE_CHECK(state.position >= 0 && state.position < batches,
              "WindowSampler: expected a position from 0 to ", batches - 1, " in epoch ",
              state.epoch, ", given ", state.position,
              " (resume with the same data, context, batch size and seed)");
  *this = restored;
}

std::int64_t WindowSampler::offset() const {
  // At least one window fits behind any of these.
  const std::int64_t offsets = std::min(options_.context, corpus_->size() - options_.context);
  return static_cast<std::int64_t>(hash_of(Purpose::offset, options_.seed, state_.epoch) %
                                   static_cast<std::uint64_t>(offsets));
}

std::int64_t WindowSampler::windows() const {
  return (corpus_->size() - 1 - offset()) / options_.context;
}

std::int64_t WindowSampler::window_start(std::int64_t place) const {
  const std::uint64_t key = hash_of(Purpose::order, options_.seed, state_.epoch);
  return offset() + options_.context * shuffled_place(place, windows(), key);
}

std::vector<SlidingWindow> plan_sliding(std::int64_t tokens, std::int64_t context,
                                        std::int64_t stride) {
  KETTE_CHECK(tokens > 0, "evaluation: expected at least 1 token, given ", tokens);
  KETTE_CHECK(context > 0, "context: expected at least 1 token, given ", context);
  KETTE_CHECK(stride > 0 && stride <= context, "stride: expected from 1 to the context of ",
              context, ", given ", stride);
  std::vector<SlidingWindow> windows;
  std::int64_t counted = 0;
  for (std::int64_t begin = 0; counted < tokens; begin += stride) {
    const std::int64_t end = begin + std::min(context, tokens - begin);
    windows.push_back({begin, end, counted});
    counted = end;
  }
  return windows;
}

SlidingBatch make_sliding_batch(const TokenFile& corpus, std::span<const SlidingWindow> windows) {
  SlidingBatch result;
  std::vector<std::vector<std::int32_t>> texts;
  std::vector<std::int64_t> starts;
  std::int64_t row = 0;
  for (const SlidingWindow& window : windows) {
    const std::int64_t length = window.end - window.begin;
    const bool at_start = window.begin == 0;
    std::vector<std::int32_t> tokens =
        at_start ? corpus.copy(0, length) : corpus.copy(window.begin - 1, length + 1);
    if (at_start) tokens.insert(tokens.begin(), corpus.info().end_of_text);
    texts.push_back(std::move(tokens));
    starts.push_back(window.begin);
    result.counted.push_back({row + window.count_from - window.begin, row + length});
    row += length;
  }
  result.batch = pack_windows(texts);
  result.batch.sentence_ids = std::move(starts);
  return result;
}

}  // namespace kette

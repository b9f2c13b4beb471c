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

WindowPlan::WindowPlan(std::vector<std::int64_t> sizes, const WindowOptions& options)
    : sizes_(std::move(sizes)), options_(options) {
  KETTE_CHECK(!sizes_.empty(), "texts: expected at least one, given none");
  KETTE_CHECK(options.context > 0, "context: expected at least 1 token, given ", options.context);
  KETTE_CHECK(options.rows > 0, "rows: expected at least 1 window in a batch, given ",
              options.rows);
  std::int64_t end = 0;
  for (const std::int64_t size : sizes_) {
    KETTE_CHECK(size > options.context, "windows: expected a text of at least ", options.context,
                " + 1 tokens, given ", size, " (take a shorter context or more text)");
    ends_.push_back(end += size);
  }
  for (std::int64_t stage = 0; stage < stages(); ++stage)
    draws(ends_, {0, 0, stage});  // checks the shares
}

std::vector<WindowPlan::Window> WindowPlan::windows(std::int64_t ahead) const {
  const State there = after(ahead);
  const std::vector<std::int64_t> ends = ends_of_windows(there.epoch);
  const Draws drawn = draws(ends, there);
  const std::uint64_t key = hash_of(Purpose::order, options_.seed, there.epoch);
  std::vector<Window> windows;
  for (std::int64_t i = 0; i < windows_at(there); ++i) {
    const std::int64_t number =
        shuffled_place(there.position * options_.rows + i, drawn.size(), key);
    const auto [window, time] = drawn[number];
    const auto of = std::upper_bound(ends.begin(), ends.end(), window) - ends.begin();
    const std::int64_t before = of > 0 ? ends[of - 1] : 0,
                       start =
                           offset(sizes_[of], there.epoch) + options_.context * (window - before);
    windows.push_back({of, start, time * ends_.back() + (ends_[of] - sizes_[of]) + start});
  }
  return windows;
}

WindowPlan::State WindowPlan::after(std::int64_t batches) const {
  constexpr std::int64_t kMostEpochs = std::int64_t{1} << 24;  // counted one by one
  State there = state_;
  there.position += batches;
  for (std::int64_t all = batches_in(there.epoch); there.position >= all;
       all = batches_in(there.epoch)) {
    there.position -= all;
    ++there.epoch;
    KETTE_CHECK(there.epoch - state_.epoch <= kMostEpochs, "windows: expected at most ",
                kMostEpochs, " epochs ahead, given ", batches, " batches of about ", all,
                " an epoch");
  }
  return there;
}

void WindowPlan::begin_stage(std::int64_t stage) {
  check_stage(stage);
  state_.stage = stage;
}

void WindowPlan::check_stage(std::int64_t stage) const {
  KETTE_CHECK(stage >= 0 && stage < stages(), "windows: expected a stage from 0 to ", stages() - 1,
              ", given ", stage);
}

Draws WindowPlan::draws(const std::vector<std::int64_t>& ends, const State& state) const {
  return Draws(ends, options_.shares.empty() ? std::vector<double>() : options_.shares[state.stage],
               options_.seed, state.epoch);
}

void WindowPlan::restore(const State& state) {
  KETTE_CHECK(state.epoch >= 0, "windows: expected an epoch of at least 0, given ", state.epoch);
  check_stage(state.stage);
  const std::int64_t batches = batches_in(state.epoch);
  KETTE_CHECK(state.position >= 0 && state.position < batches,
              "windows: expected a position from 0 to ", batches - 1, " in epoch ", state.epoch,
              ", given ", state.position,
              " (resume with the same data, context, batch size and seed)");
  state_ = state;
}

std::int64_t WindowPlan::offset(std::int64_t size, std::int64_t epoch) const {
  // At least one window fits behind any of these.
  const std::int64_t offsets = std::min(options_.context, size - options_.context);
  return static_cast<std::int64_t>(hash_of(Purpose::offset, options_.seed, epoch) %
                                   static_cast<std::uint64_t>(offsets));
}

std::vector<std::int64_t> WindowPlan::ends_of_windows(std::int64_t epoch) const {
  std::vector<std::int64_t> ends;
  std::int64_t end = 0;
  for (const std::int64_t size : sizes_) {
    ends.push_back(end += (size - 1 - offset(size, epoch)) / options_.context);
  }
  return ends;
}

namespace {

std::vector<std::int64_t> sizes_of(const std::vector<TokenStream>& texts,
                                   const WindowOptions& options) {
  std::vector<std::int64_t> sizes;
  for (const TokenStream& text : texts) {
    KETTE_CHECK(options.context <= 0 || text.size() > options.context, text.name(),
                ": expected at least one window of ", options.context, " + 1 tokens, given ",
                text.size(), " tokens (take a shorter context or more text)");
    sizes.push_back(text.size());
  }
  return sizes;
}

}  // namespace

WindowSampler::WindowSampler(std::vector<TokenStream> texts, const WindowOptions& options)
    : texts_(std::move(texts)), plan_(sizes_of(texts_, options), options) {}

Batch WindowSampler::peek(std::int64_t ahead) const {
  std::vector<std::vector<std::int32_t>> windows;
  std::vector<std::int64_t> places;
  for (const WindowPlan::Window& window : plan_.windows(ahead)) {
    windows.push_back(texts_[window.text].copy(window.start, plan_.options().context + 1));
    places.push_back(window.place);
  }
  Batch batch = pack_windows(windows);
  batch.sentence_ids = std::move(places);
  return batch;
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

SlidingBatch make_sliding_batch(const TokenStream& corpus, std::span<const SlidingWindow> windows) {
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

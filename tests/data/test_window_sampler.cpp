// Windows of a corpus: an epoch holds every full window once, any state can be gone on from, and
// sliding windows predict every token once from enough of its past.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "data/corpora/shuffled_place.h"
#include "data/corpora/window_sampler.h"
#include "tensor/error.h"
#include "tests/data/epochs.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

using testing::contains;
using testing::epoch_of;
using testing::ids_of;
using testing::message_of;
using testing::ScratchFolder;
using Ids = std::vector<std::int32_t>;

constexpr std::int32_t kEndOfText = 60'000;

/// A token file of 0, 1, 2, ...: an id is its own place. first: instead of 0.
class CountingFile {
 public:
  explicit CountingFile(std::int64_t size, std::int32_t first = 0)
      : file_(open(folder_ / "tokens", size, first)) {}
  const TokenFile& get() const { return file_; }
  std::vector<TokenStream> texts() const { return {file_}; }

 private:
  static TokenFile open(const std::filesystem::path& path, std::int64_t size, std::int32_t first) {
    Ids ids(static_cast<std::size_t>(size));
    std::iota(ids.begin(), ids.end(), first);
    TokenFileWriter writer(path, kEndOfText + 1);
    writer.append(ids);
    writer.finish({"counting", kEndOfText + 1, kEndOfText, 1, size});
    return TokenFile::open(path);
  }

  ScratchFolder folder_;
  TokenFile file_;
};

WindowOptions options_of(std::int64_t context, std::int64_t rows, std::uint64_t seed = 1) {
  return {context, rows, seed};
}

bool same_windows(const Batch& a, const Batch& b) {
  return a.target_in == b.target_in && a.target_out == b.target_out &&
         a.sentence_ids == b.sentence_ids &&
         a.target_segments.offsets() == b.target_segments.offsets();
}

}  // namespace

TEST_CASE("windows: how many tokens the next batches have is known without them, over epochs") {
  const CountingFile file(500);
  WindowSampler sampler(file.texts(), options_of(12, 7));
  for (int i = 0; i < 5; ++i) {
    WindowSampler ahead = sampler;
    for (std::int64_t batches = 0; batches < 20; ++batches) {
      const Batch batch = ahead.next();
      CHECK(sampler.tokens(batches) == tokens_of(batch));
      CHECK(sampler.peek(batches).sentence_ids == batch.sentence_ids);
    }
    sampler.next();
  }
}

TEST_CASE("windows: an epoch holds all full windows behind its offset once, in another order") {
  const CountingFile corpus(1000);
  for (const auto& [context, rows] : {std::pair{7, 4}, {16, 1}, {10, 1000}, {1, 30}, {999, 2}}) {
    WindowSampler sampler(corpus.texts(), options_of(context, rows));
    for (int epoch = 0; epoch < 4; ++epoch) {
      const std::int64_t expected = sampler.batches_in_epoch();
      const std::vector<Batch> batches = epoch_of(sampler);
      CHECK(static_cast<std::int64_t>(batches.size()) == expected);
      std::vector<std::int64_t> starts = ids_of(batches);
      std::sort(starts.begin(), starts.end());
      REQUIRE(!starts.empty());
      CHECK(starts.front() >= 0);
      CHECK(starts.front() < context);
      for (std::size_t i = 1; i < starts.size(); ++i) CHECK(starts[i] == starts[i - 1] + context);
      CHECK(starts.back() + context < 1000);
      CHECK(starts.back() + 2 * context >= 1000);
      for (std::size_t i = 0; i < batches.size(); ++i) {
        const bool last = i + 1 == batches.size();
        CHECK((last || static_cast<std::int64_t>(batches[i].sentence_ids.size()) == rows));
      }
    }
  }
}

TEST_CASE("windows: a batch is its windows end to end, the output one token ahead") {
  const CountingFile corpus(500);
  WindowSampler sampler(corpus.texts(), options_of(9, 5));
  for (const Batch& batch : epoch_of(sampler)) {
    CHECK(batch.source.empty());
    CHECK(batch.source_segments.count() == 0);
    Ids in, out;
    for (const std::int64_t start : batch.sentence_ids) {
      for (std::int64_t i = 0; i < 9; ++i) {
        in.push_back(static_cast<std::int32_t>(start + i));
        out.push_back(static_cast<std::int32_t>(start + i + 1));
      }
    }
    CHECK(batch.target_in == in);
    CHECK(batch.target_out == out);
    CHECK(batch.target_segments.count() == static_cast<std::int64_t>(batch.sentence_ids.size()));
    CHECK(batch.target_segments.rows() == static_cast<std::int64_t>(in.size()));
    CHECK(batch.target_segments.longest() == 9);
  }
}

TEST_CASE("windows: offset and order depend on seed and epoch, and on nothing else") {
  const CountingFile corpus(3000);
  WindowSampler sampler(corpus.texts(), options_of(50, 4)), same(corpus.texts(), options_of(50, 9));
  WindowSampler other(corpus.texts(), options_of(50, 4, 2));
  const auto first = ids_of(epoch_of(sampler)), second = ids_of(epoch_of(sampler));
  CHECK(first == ids_of(epoch_of(same)));
  CHECK(first != second);
  CHECK(first[0] % 50 != second[0] % 50);
  CHECK(first != ids_of(epoch_of(other)));
  CHECK(!std::is_sorted(first.begin(), first.end()));
}

TEST_CASE("windows: the order is the same on every platform") {
  const CountingFile corpus(121);  // the numbers are from a transcription of the hash to Python
  WindowSampler sampler(corpus.texts(), options_of(10, 100));
  CHECK(sampler.next().sentence_ids ==
        std::vector<std::int64_t>{34, 74, 94, 4, 14, 104, 54, 84, 24, 64, 44});
}

TEST_CASE("windows: restore goes on exactly where state was taken, over the ends of epochs") {
  const CountingFile corpus(400);
  WindowSampler sampler(corpus.texts(), options_of(12, 3));
  for (int taken = 0; taken < 40; ++taken) {
    WindowSampler resumed(corpus.texts(), options_of(12, 3));
    resumed.restore(sampler.state());
    WindowSampler ahead = sampler;
    for (int i = 0; i < 3; ++i) {
      CHECK(resumed.state() == ahead.state());
      CHECK(same_windows(resumed.next(), ahead.next()));
    }
    sampler.next();
  }
  CHECK(sampler.state().epoch >= 3);
}

TEST_CASE("windows: a state that does not fit is refused and changes nothing") {
  const CountingFile corpus(400);
  WindowSampler sampler(corpus.texts(), options_of(12, 3)), untouched = sampler;
  CHECK(contains(message_of([&] { sampler.restore({2, 1000}); }), "in epoch 2, given 1000"));
  CHECK_THROWS_AS(sampler.restore({0, -1}), Error);
  CHECK_THROWS_AS(sampler.restore({-1, 0}), Error);
  CHECK(same_windows(sampler.next(), untouched.next()));
}

TEST_CASE("windows: a corpus shorter than a window, and options that make no sense, are refused") {
  const CountingFile corpus(8);
  CHECK(contains(message_of([&] { WindowSampler(corpus.texts(), options_of(8, 1)); }),
                 "expected at least one window of 8 + 1 tokens, given 8 tokens (take a shorter"));
  CHECK_THROWS_AS(WindowSampler(corpus.texts(), options_of(0, 1)), Error);
  CHECK_THROWS_AS(WindowSampler(corpus.texts(), options_of(4, 0)), Error);
  CHECK_THROWS_AS(WindowSampler(CountingFile(0).texts(), options_of(1, 1)), Error);
  WindowSampler just_one(corpus.texts(), options_of(7, 3));
  for (int epoch = 0; epoch < 5; ++epoch) {
    CHECK(just_one.batches_in_epoch() == 1);
    CHECK(just_one.next().target_in == Ids{0, 1, 2, 3, 4, 5, 6});
  }
}

TEST_CASE("windows: a text of several files has the windows of one file") {
  const CountingFile whole(400), first(90), middle(7, 90), last(303, 97);
  const std::vector<TokenStream> files = {
      TokenStream::joined({first.get(), middle.get(), last.get()})};
  WindowSampler one(whole.texts(), options_of(12, 5)), several(files, options_of(12, 5));
  WindowSampler alone(whole.texts(), {12, 5, 1, {{3.5}}});
  for (int i = 0; i < 20; ++i) {
    const Batch batch = one.next();
    CHECK(same_windows(batch, several.next()));
    CHECK(same_windows(batch, alone.next()));  // of one text any share is all
  }
}

TEST_CASE("windows: of a mixture each text has its share, its windows equally often but for one") {
  const CountingFile large(40 * 10 + 15), small(10 * 10 + 15, 1000);
  const std::vector<TokenStream> texts = {large.get(), small.get()};
  WindowSampler plain(texts, {10, 7, 1, {}}), mixed(texts, {10, 7, 1, {{1, 3}}});
  for (int epoch = 0; epoch < 5; ++epoch) {
    std::map<std::int32_t, std::int64_t> times;
    std::vector<std::int64_t> numbers;
    std::int64_t all = 0, of_small = 0;
    for (const Batch& batch : epoch_of(mixed)) {
      for (std::int64_t i = 0; i < batch.target_segments.count(); ++i) {
        const std::int32_t begin = batch.target_in[batch.target_segments.begin(i)];
        for (std::int64_t j = 0; j < 10; ++j) {  // a window lies in one text
          REQUIRE(batch.target_in[batch.target_segments.begin(i) + j] == begin + j);
        }
        ++times[begin];
        ++all;
        of_small += begin >= 1000;
      }
      numbers.insert(numbers.end(), batch.sentence_ids.begin(), batch.sentence_ids.end());
    }
    const auto windows = static_cast<std::int64_t>(ids_of(epoch_of(plain)).size());
    CHECK(all == windows);
    CHECK(std::abs(static_cast<double>(of_small) - 0.75 * static_cast<double>(all)) < 1);
    std::int64_t least = all, most = 0;
    for (const auto& [begin, count] : times) {
      if (begin < 1000) CHECK(count == 1);
      if (begin >= 1000) least = std::min(least, count), most = std::max(most, count);
    }
    CHECK(most - least <= 1);
    CHECK(most > 1);
    // What comes again is not masked and dropped out as before.
    std::sort(numbers.begin(), numbers.end());
    CHECK(std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end());
  }
}

TEST_CASE("windows: a mixture goes on where it was, and shares that make no sense are refused") {
  const CountingFile large(400), small(60, 1000);
  const std::vector<TokenStream> texts = {large.get(), small.get()};
  const WindowOptions options{9, 4, 3, {{1, 1.7}}};
  WindowSampler whole(texts, options);
  for (int i = 0; i < 30; ++i) {
    WindowSampler resumed(texts, options);
    resumed.restore(whole.state());
    CHECK(same_windows(resumed.next(), whole.next()));
  }
  CHECK(whole.state().epoch >= 2);
  CHECK(contains(message_of([&] {
                   WindowSampler(texts, {9, 4, 3, {{1, 2, 3}}});
                 }),
                 "shares: expected one for each of the 2 texts, given 3"));
  CHECK(contains(message_of([&] {
                   WindowSampler(texts, {60, 4, 3, {}});
                 }),
                 "expected at least one window of 60 + 1 tokens, given 60 tokens"));
}

TEST_CASE("windows: stages draw by their own shares, as far in the epoch as before") {
  const CountingFile large(40 * 10 + 15), small(10 * 10 + 15, 1000);
  const std::vector<TokenStream> texts = {large.get(), small.get()};
  WindowSampler staged(texts, {10, 7, 1, {{1, 0}, {1, 3}, {0, 1}}}),
      same(texts, {10, 7, 1, {{1, 3}}});
  CHECK(staged.stages() == 3);
  const auto of_small = [](const Batch& batch) {
    return std::count_if(batch.target_in.begin(), batch.target_in.end(),
                         [](std::int32_t token) { return token >= 1000; });
  };
  for (int i = 0; i < 3; ++i) CHECK(of_small(staged.next()) == 0);
  staged.begin_stage(1);
  same.skip(3);
  for (int i = 0; i < 12; ++i) CHECK(same_windows(staged.next(), same.next()));
  WindowSampler resumed(texts, {10, 7, 1, {{1, 0}, {1, 3}, {0, 1}}});
  resumed.restore(staged.state());
  staged.begin_stage(2);
  const Batch last = staged.next();
  CHECK(of_small(last) == std::ssize(last.target_in));
  CHECK(same_windows(resumed.next(), same.next()));
  CHECK(contains(message_of([&] { staged.begin_stage(3); }),
                 "expected a stage from 0 to 2, given 3"));
  CHECK(contains(message_of([&] {
                   same.restore({0, 0, 1});
                 }),
                 "expected a stage from 0 to 0, given 1"));
}

TEST_CASE("windows: shuffled places are a permutation, and any place is as likely as another") {
  for (std::int64_t count = 1; count < 200; ++count) {
    std::vector<bool> seen(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t place = shuffled_place(i, count, 5);
      REQUIRE((place >= 0 && place < count));
      REQUIRE(!seen[place]);
      seen[place] = true;
    }
  }
  // 4000 throws of each die: a fair one strays from its mean by 6 deviations once in 10^9.
  for (const std::int64_t count : {2, 3, 5, 17, 64}) {
    for (const std::int64_t first : {std::int64_t{0}, count - 1}) {
      std::vector<double> times(static_cast<std::size_t>(count));
      for (std::uint64_t key = 0; key < 4000; ++key) ++times[shuffled_place(first, count, key)];
      const double share = 1.0 / static_cast<double>(count), mean = 4000 * share;
      for (const double n : times) CHECK(std::abs(n - mean) < 6 * std::sqrt(mean * (1 - share)));
    }
  }
  const std::int64_t huge = std::int64_t{1} << 52;
  CHECK(shuffled_place(0, huge + 1, 1) <= huge);
}

TEST_CASE("sliding windows: every token counts once, from the past that was promised") {
  const CountingFile corpus(100);
  for (const std::int64_t tokens : {1, 2, 9, 10, 11, 57, 100}) {
    for (const std::int64_t context : {1, 2, 10, 64, 200}) {
      for (std::int64_t stride = 1; stride <= context; stride += 1 + context / 5) {
        CAPTURE(tokens);
        CAPTURE(context);
        CAPTURE(stride);
        const std::vector<SlidingWindow> windows = plan_sliding(tokens, context, stride);
        std::vector<int> times(static_cast<std::size_t>(tokens));
        for (std::size_t first = 0; first < windows.size(); first += 3) {
          const std::size_t count = std::min<std::size_t>(3, windows.size() - first);
          const SlidingBatch sliding =
              make_sliding_batch(corpus.get(), std::span(windows).subspan(first, count));
          const Batch& batch = sliding.batch;
          REQUIRE(sliding.counted.size() == count);
          REQUIRE(batch.target_segments.rows() ==
                  static_cast<std::int64_t>(batch.target_in.size()));
          for (std::size_t i = 0; i < count; ++i) {
            const auto window = static_cast<std::int64_t>(i);
            const std::int64_t begin = batch.target_segments.begin(window);
            const SlidingBatch::Rows& rows = sliding.counted[i];
            REQUIRE(batch.target_segments.length(window) <= context);
            REQUIRE(rows.end == batch.target_segments.end(window));
            REQUIRE((rows.begin >= begin && rows.begin < rows.end));
            for (std::int64_t row = begin; row < rows.end; ++row) {
              const std::int32_t token = batch.target_out[row];
              const std::int32_t before = token == 0 ? kEndOfText : token - 1;
              REQUIRE(batch.target_in[row] == before);
              if (row < rows.begin) continue;
              ++times[token];
              REQUIRE(row - begin >= std::min<std::int64_t>(token, context - stride));
            }
          }
        }
        REQUIRE(times == std::vector<int>(static_cast<std::size_t>(tokens), 1));
      }
    }
  }
}

TEST_CASE("sliding windows: as many as Hugging Face's loop makes, and what is refused") {
  // for begin in range(0, tokens, stride): end = min(begin + context, tokens); until end == tokens
  CHECK(plan_sliding(2500, 1024, 512).size() == 4);
  CHECK(plan_sliding(2048, 1024, 1024).size() == 2);
  CHECK(plan_sliding(5, 1024, 512).size() == 1);
  CHECK(contains(message_of([] { plan_sliding(0, 8, 4); }), "at least 1 token, given 0"));
  CHECK(contains(message_of([] { plan_sliding(9, 8, 9); }), "from 1 to the context of 8, given 9"));
  CHECK_THROWS_AS(plan_sliding(9, 8, 0), Error);
  CHECK_THROWS_AS(plan_sliding(9, 0, 1), Error);
}

}  // namespace kette

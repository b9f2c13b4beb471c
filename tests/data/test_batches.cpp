#include <doctest/doctest.h>
#include <omp.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "data/corpora/batch_sampler.h"
#include "data/corpora/batches.h"
#include "tensor/error.h"
#include "tensor/splitmix.h"
#include "tests/data/epochs.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

using testing::contains;
using testing::epoch_of;
using testing::ids_of;
using testing::message_of;
using Ids = std::vector<std::int32_t>;

/// Sentences of 0 to 19 random tokens; the target is up to 4 tokens longer.
ParallelCorpus random_corpus(std::int64_t count) {
  TokenLists source, target;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t length = hash_of(1, i) % 20;
    Ids ids;
    for (std::uint64_t j = 0; j < length + hash_of(2, i) % 5; ++j) {
      ids.push_back(static_cast<std::int32_t>(4 + hash_of(3, i, j) % 50));
    }
    target.add(ids);
    ids.resize(length);
    source.add(ids);
  }
  return ParallelCorpus::of(std::make_shared<PairLists>(source, target));
}

bool equal(const Batch& a, const Batch& b) {
  return a.source == b.source && a.target_in == b.target_in && a.target_out == b.target_out &&
         a.source_segments.offsets() == b.source_segments.offsets() &&
         a.target_segments.offsets() == b.target_segments.offsets() &&
         a.sentence_ids == b.sentence_ids;
}

bool equal(const std::vector<Batch>& a, const std::vector<Batch>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Batch& x, const Batch& y) { return equal(x, y); });
}

BatchOptions small_batches() {
  BatchOptions options;
  options.tokens_per_batch = 100;
  return options;
}

TEST_CASE("how many tokens the next batches have is known without them, over epochs") {
  const ParallelCorpus corpus = random_corpus(100);
  BatchSampler sampler(corpus, small_batches());
  for (int i = 0; i < 5; ++i) {
    BatchSampler ahead = sampler;
    for (std::int64_t batches = 0; batches < 60; ++batches) {
      const Batch batch = ahead.next();
      CHECK(sampler.tokens(batches) == tokens_of(batch));
      CHECK(sampler.peek(batches).sentence_ids == batch.sentence_ids);
    }
    sampler.next();
  }
}

TEST_CASE("a batch is its sentences end to end, with begin and end marks") {
  TokenLists source, target;
  source.add(Ids{10, 11, 12});
  source.add(Ids{});
  source.add(Ids{13});
  target.add(Ids{20});
  target.add(Ids{21, 22});
  target.add(Ids{});
  const std::vector<std::int64_t> order{2, 0, 1};
  const Batch batch = make_batch(PairLists(source, target), order, SpecialTokens{});
  CHECK(batch.source == Ids{13, 3, 10, 11, 12, 3, 3});
  CHECK(batch.source_segments.offsets() == std::vector<std::int64_t>{0, 2, 6, 7});
  CHECK(batch.target_in == Ids{2, 2, 20, 2, 21, 22});
  CHECK(batch.target_out == Ids{3, 20, 3, 21, 22, 3});
  CHECK(batch.target_segments.offsets() == std::vector<std::int64_t>{0, 1, 3, 6});
  CHECK(batch.sentence_ids == order);
}

TEST_CASE("every epoch holds every sentence once, within the limit, of similar lengths") {
  const ParallelCorpus corpus = random_corpus(500);
  BatchSampler sampler(corpus, small_batches());
  for (int epoch = 0; epoch < 3; ++epoch) {
    const std::int64_t expected_batches = sampler.batches_in_epoch();
    const std::vector<Batch> batches = epoch_of(sampler);
    CHECK(static_cast<std::int64_t>(batches.size()) == expected_batches);
    std::vector<std::int64_t> ids = ids_of(batches);
    std::sort(ids.begin(), ids.end());
    REQUIRE(ids.size() == 500);
    for (std::int64_t i = 0; i < 500; ++i) CHECK(ids[i] == i);

    std::int64_t tokens = 0;
    for (const Batch& batch : batches) {
      CHECK(batch.source.size() <= 100);
      CHECK(batch.target_in.size() <= 100);
      tokens += static_cast<std::int64_t>(batch.target_out.size());
    }
    CHECK(tokens == PairLists(corpus).targets().tokens() + 500);
    // Full but for what the next sentence would need, and one short batch at the end of the order.
    CHECK(static_cast<double>(tokens) / static_cast<double>(batches.size()) > 80);

    std::int64_t widest = 0;
    for (const Batch& batch : batches) {
      std::int64_t shortest = 1000, longest = 0;
      for (std::int64_t i = 0; i < batch.target_segments.count(); ++i) {
        shortest = std::min(shortest, batch.target_segments.length(i));
        longest = std::max(longest, batch.target_segments.length(i));
      }
      widest = std::max(widest, longest - shortest);
    }
    CHECK(widest < 8);  // two neighbouring buckets of 4
  }
}

TEST_CASE("the order depends on seed and epoch, and on nothing else") {
  const ParallelCorpus corpus = random_corpus(300);
  BatchOptions options = small_batches();
  BatchSampler sampler(corpus, options), same(corpus, options);
  options.seed = 2;
  BatchSampler other(corpus, options);
  const auto first = epoch_of(sampler), second = epoch_of(sampler);
  CHECK(equal(first, epoch_of(same)));
  CHECK(ids_of(first) != ids_of(second));
  CHECK(ids_of(first) != ids_of(epoch_of(other)));
}

TEST_CASE("the batches, too, are in another order each epoch") {
  TokenLists lists;  // none of similar length, so that all epochs have the same batches
  for (std::size_t length = 4; length <= 120; length += 4) lists.add(Ids(length, 7));
  const ParallelCorpus corpus = ParallelCorpus::of(std::make_shared<PairLists>(lists, lists));
  BatchOptions options;
  options.tokens_per_batch = 1;
  BatchSampler sampler(corpus, options);
  const auto first = ids_of(epoch_of(sampler)), second = ids_of(epoch_of(sampler));
  CHECK(first != second);
  CHECK(std::is_permutation(first.begin(), first.end(), second.begin(), second.end()));
}

TEST_CASE("the order is the same on every platform") {
  TokenLists lists;  // of similar length, so that all are mixed
  for (std::int32_t id = 10; id < 22; ++id) lists.add(Ids{id});
  const ParallelCorpus corpus = ParallelCorpus::of(std::make_shared<PairLists>(lists, lists));
  BatchSampler sampler(corpus, {});
  CHECK(sampler.next().sentence_ids ==
        std::vector<std::int64_t>{1, 6, 10, 5, 11, 4, 8, 3, 7, 9, 2, 0});
  CHECK(splitmix64(0) ==
        0xE220A8397B1DCDAFull);  // the published generator's first number from seed 0
}

TEST_CASE("restore goes on exactly where state was taken, over the ends of epochs") {
  const ParallelCorpus corpus = random_corpus(200);
  BatchSampler sampler(corpus, small_batches());
  const std::int64_t batches = sampler.batches_in_epoch();
  for (std::int64_t taken = 0; taken <= 2 * batches; ++taken) {
    BatchSampler resumed(corpus, small_batches());
    resumed.restore(sampler.state());
    CHECK(resumed.state() == sampler.state());
    BatchSampler ahead = sampler;
    for (int i = 0; i < 3; ++i) CHECK(equal(resumed.next(), ahead.next()));
    sampler.next();
  }
}

TEST_CASE("the state after the last batch is the start of the next epoch") {
  const ParallelCorpus corpus = random_corpus(50);
  BatchSampler sampler(corpus, small_batches());
  const std::int64_t batches = sampler.batches_in_epoch();
  for (std::int64_t i = 0; i < batches; ++i) {
    CHECK(sampler.state() == Sampler::State{0, i});
    sampler.next();
  }
  CHECK(sampler.state() == Sampler::State{1, 0});
}

TEST_CASE("a state that does not fit is refused and changes nothing") {
  const ParallelCorpus corpus = random_corpus(50);
  BatchSampler sampler(corpus, small_batches()), untouched(corpus, small_batches());
  const std::string message = message_of([&] { sampler.restore({1, 1000}); });
  CHECK(contains(message, "in epoch 1, given 1000"));
  CHECK_THROWS_AS(sampler.restore({0, -1}), Error);
  CHECK_THROWS_AS(sampler.restore({-1, 0}), Error);
  CHECK(equal(sampler.next(), untouched.next()));
}

TEST_CASE("a sentence beyond the limit is a batch of its own") {
  TokenLists source, target;
  for (const int length : {2, 50, 2, 3}) {
    source.add(Ids(static_cast<std::size_t>(length), 7));
    target.add(Ids(2, 8));
  }
  const auto plan = plan_batches(PairLists(source, target), 10);
  CHECK(plan == std::vector<std::vector<std::int64_t>>{{0, 2, 3}, {1}});
  CHECK(plan_batches(PairLists(source, target), 1) ==
        std::vector<std::vector<std::int64_t>>{{0}, {2}, {3}, {1}});
}

TEST_CASE("a batch splits into even parts that are the same sentences again") {
  TokenLists source, target;
  for (int i = 0; i < 20; ++i) {
    source.add(std::vector<std::int32_t>(static_cast<std::size_t>(1 + i % 7), 10 + i));
    target.add(std::vector<std::int32_t>(static_cast<std::size_t>(1 + i % 4), 50 + i));
  }
  std::vector<std::int64_t> all(20);
  std::iota(all.begin(), all.end(), 0);
  const Batch whole = make_batch(PairLists(source, target), all, SpecialTokens{});
  CHECK(split(whole, 1000).size() == 1);
  const std::vector<Batch> parts = split(whole, 30);
  CHECK(parts.size() == 4);  // of 97 source and 69 target tokens
  std::vector<std::int64_t> ids;
  for (const Batch& part : parts) {
    CHECK(part.source_segments.rows() < 30 + 8);
    CHECK(part.source_segments.rows() > 15);
    const Batch again = make_batch(PairLists(source, target), part.sentence_ids, SpecialTokens{});
    CHECK(part.source == again.source);
    CHECK(part.target_in == again.target_in);
    CHECK(part.target_out == again.target_out);
    CHECK(part.source_segments.offsets() == again.source_segments.offsets());
    CHECK(part.target_segments.offsets() == again.target_segments.offsets());
    ids.insert(ids.end(), part.sentence_ids.begin(), part.sentence_ids.end());
  }
  CHECK(ids == all);
  CHECK(split(whole, 1).size() == 20);
}

TEST_CASE("a batch without a source splits just so, and one without anything into nothing") {
  Batch whole;
  for (std::int32_t i = 0; i < 60; ++i) {
    whole.target_in.push_back(i);
    whole.target_out.push_back(i + 1);
  }
  whole.target_segments = Segments::from_lengths(std::vector<std::int64_t>(6, 10));
  whole.sentence_ids = {5, 4, 3, 2, 1, 0};
  CHECK(equal(split(whole, 60), {whole}));
  const std::vector<Batch> parts = split(whole, 20);
  REQUIRE(parts.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto first = static_cast<std::int32_t>(20 * i);
    CHECK(parts[i].source.empty());
    CHECK(parts[i].source_segments.count() == 0);
    CHECK(parts[i].target_in.size() == 20);
    CHECK(parts[i].target_in.front() == first);
    CHECK(parts[i].target_out.front() == first + 1);
    CHECK(parts[i].target_out.size() == 20);
    CHECK(parts[i].target_segments.offsets() == std::vector<std::int64_t>{0, 10, 20});
    CHECK(parts[i].sentence_ids.front() == 5 - static_cast<std::int64_t>(2 * i));
  }
  CHECK(split(Batch{}, 20).empty());
}

TEST_CASE("options that make no sense are refused") {
  const ParallelCorpus corpus = random_corpus(10);
  const auto refuses = [&](auto change) {
    BatchOptions options;
    change(options);
    CHECK_THROWS_AS(BatchSampler(corpus, options), Error);
  };
  refuses([](BatchOptions& options) { options.tokens_per_batch = 0; });
  refuses([](BatchOptions& options) { options.tokens_per_batch = -4096; });
  refuses([](BatchOptions& options) { options.bpe_dropout = 1; });
  refuses([](BatchOptions& options) { options.bpe_dropout = 0.1; });  // no text
  CHECK_THROWS_AS(PairLists({}, {}), Error);
}

TEST_CASE("BPE-dropout: new pieces each epoch, the same text, whatever the threads") {
  const testing::TinyText text = testing::tiny_text();
  const TextLines source = text.source_lines(), target = text.target_lines();
  const SharedTokenizer tokenizer = testing::tiny_tokenizer(source, target);
  FilterOptions filter;
  filter.max_length = 40;
  const ParallelCorpus corpus =
      ParallelCorpus::from_lines(source, "en", target, "de", tokenizer, filter);

  BatchOptions options = small_batches();
  options.bpe_dropout = 0.2;
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  BatchSampler sampler(corpus, options);
  const auto first = epoch_of(sampler), second = epoch_of(sampler);
  omp_set_num_threads(4);
  BatchSampler same(corpus, options);
  CHECK(equal(first, epoch_of(same)));
  CHECK(equal(second, epoch_of(same)));
  BatchSampler resumed(corpus, options);
  resumed.restore({1, 2});
  CHECK(equal(resumed.next(), second[2]));
  omp_set_num_threads(threads);

  const auto target_of = [](const Batch& batch, std::int64_t i) {
    const auto begin = batch.target_out.begin();
    return Ids(begin + batch.target_segments.begin(i), begin + batch.target_segments.end(i) - 1);
  };
  std::vector<Ids> pieces(150);
  for (const Batch& batch : first) {
    for (std::int64_t i = 0; i < batch.target_segments.count(); ++i) {
      const std::int64_t sentence = batch.sentence_ids[i];
      pieces[sentence] = target_of(batch, i);
      CHECK(tokenizer->decode(target_of(batch, i)) == target[sentence]);
      CHECK(batch.target_segments.length(i) <= 41);
    }
  }
  int changed = 0;
  for (const Batch& batch : second) {
    for (std::int64_t i = 0; i < batch.target_segments.count(); ++i) {
      const std::int64_t sentence = batch.sentence_ids[i];
      changed += pieces[sentence] != target_of(batch, i);
    }
  }
  CHECK(changed > 100);
}

}  // namespace
}  // namespace kette

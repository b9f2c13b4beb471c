// Several parallel texts as one: how often each is drawn, and tags that say which language is wanted.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "data/corpora/batch_sampler.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

using testing::contains;
using testing::message_of;
using Ids = std::vector<std::int32_t>;

/// `count` pairs of a token of its own, from `first` on.
ParallelCorpus part(std::int32_t first, std::int32_t count) {
  TokenLists source, target;
  for (std::int32_t i = first; i < first + count; ++i) {
    source.add(Ids{i});
    target.add(Ids{i, i});
  }
  return ParallelCorpus::of(std::make_shared<PairLists>(source, target));
}

/// How often each pair is drawn in the next epoch.
std::map<std::int64_t, std::int64_t> times_in_epoch(BatchSampler& sampler) {
  std::map<std::int64_t, std::int64_t> times;
  for (const auto epoch = sampler.state().epoch; sampler.state().epoch == epoch;) {
    for (const std::int64_t pair : sampler.next().sentence_ids) ++times[pair];
  }
  return times;
}

TEST_CASE("mixture: texts one after the other, and every pair once where nothing else is said") {
  const ParallelCorpus corpus = ParallelCorpus::joined({part(10, 30), part(50, 10)});
  CHECK(corpus.size() == 40);
  CHECK(corpus.ends_of_parts() == std::vector<std::int64_t>{30, 40});
  CHECK(corpus.read(30).source[0] == 50);
  CHECK(corpus.report().kept == 40);
  CHECK(part(10, 30).ends_of_parts() == std::vector<std::int64_t>{30});
  BatchSampler sampler(corpus, {.tokens_per_batch = 20});
  const auto times = times_in_epoch(sampler);
  CHECK(times.size() == 40);
  CHECK(std::all_of(times.begin(), times.end(), [](const auto& one) { return one.second == 1; }));
}

TEST_CASE("mixture: weights say how often a text is drawn, its pairs equally often but for one") {
  const ParallelCorpus corpus = ParallelCorpus::joined({part(10, 30), part(50, 10)});
  BatchSampler sampler(corpus, {.tokens_per_batch = 20, .shares = {{1, 3}}});
  std::map<std::int64_t, std::int64_t> over_epochs;
  for (int epoch = 0; epoch < 20; ++epoch) {
    const auto times = times_in_epoch(sampler);
    std::int64_t first = 0, second = 0;
    for (const auto& [pair, count] : times) {
      (pair < 30 ? first : second) += count;
      CHECK((pair < 30 ? count == 1 : count == 3));
      over_epochs[pair] += count;
    }
    CHECK(first == 10);
    CHECK(second == 30);
  }
  // Each epoch draws others of the text that it does not exhaust.
  for (std::int64_t pair = 0; pair < 30; ++pair) CHECK(over_epochs[pair] >= 1);

  BatchSampler uneven(corpus, {.tokens_per_batch = 20, .shares = {{10, 6}}});
  const auto times = times_in_epoch(uneven);
  std::int64_t twice = 0;
  for (std::int64_t pair = 30; pair < 40; ++pair) twice += times.at(pair) == 2;
  CHECK(twice == 5);  // 15 draws of 10 pairs
}

TEST_CASE("mixture: a text whose share is less than a pair comes in some epochs") {
  const ParallelCorpus corpus =
      ParallelCorpus::joined({part(10, 30), part(50, 5), part(60, 4), part(70, 1)});
  BatchSampler sampler(corpus, {.tokens_per_batch = 20, .shares = {{28.5, 10, 1.25, 0.25}}});
  std::map<std::int64_t, std::int64_t> over_epochs;
  for (int epoch = 0; epoch < 400; ++epoch) {
    std::int64_t all = 0;
    for (const auto& [pair, count] : times_in_epoch(sampler)) {
      over_epochs[corpus.read(pair).source[0] / 10] += count;
      all += count;
    }
    CHECK(all == 40);
  }
  CHECK(over_epochs[5] == 400 * 10);
  CHECK(std::abs(over_epochs[6] - 500) < 40);
  CHECK(std::abs(over_epochs[7] - 100) < 40);
}

TEST_CASE("mixture: a text of the weight 0 is not drawn, wherever it stands") {
  const ParallelCorpus corpus =
      ParallelCorpus::joined({part(10, 5), part(20, 10), part(40, 4), part(50, 1), part(60, 20)});
  for (const std::vector<double>& shares :
       {std::vector<double>{0, 1, 0, 0, 3}, {1, 0, 1, 0, 0}, {0, 0, 0, 0, 0.1}, {0, 0, 0, 1, 0}}) {
    CAPTURE(shares);
    BatchSampler sampler(corpus, {.tokens_per_batch = 20, .shares = {shares}});
    std::vector<double> drawn(5);
    for (const auto& [pair, count] : times_in_epoch(sampler)) {
      const auto& ends = corpus.ends_of_parts();
      drawn[std::upper_bound(ends.begin(), ends.end(), pair) - ends.begin()] +=
          static_cast<double>(count);
    }
    double all = 0;
    for (const double share : shares) all += share;
    for (std::size_t i = 0; i < 5; ++i) CHECK(drawn[i] == 40 * shares[i] / all);
  }
}

TEST_CASE(
    "mixture: a stage draws the rest of the epoch, and all of those after it, by its weights") {
  const ParallelCorpus corpus = ParallelCorpus::joined({part(10, 300), part(320, 100)});
  const BatchOptions options{.tokens_per_batch = 24, .shares = {{1, 3}, {1, 3}, {0, 1}, {3, 1}}};
  BatchSampler sampler(corpus, options),
      weighted(corpus, {.tokens_per_batch = 24, .shares = {{1, 3}}});
  CHECK(sampler.stages() == 4);
  CHECK(weighted.stages() == 1);
  const std::int64_t batches = sampler.batches_in_epoch();
  for (int i = 0; i < 20; ++i) CHECK(sampler.next().sentence_ids == weighted.next().sentence_ids);
  sampler.begin_stage(1);
  CHECK(sampler.state() == Sampler::State{0, 20, 1});
  for (int i = 0; i < 10; ++i) CHECK(sampler.next().sentence_ids == weighted.next().sentence_ids);

  sampler.begin_stage(2);
  CHECK(sampler.state().stage == 2);
  CHECK(sampler.state().epoch == 0);
  CHECK(sampler.state().position == 30 * sampler.batches_in_epoch() / batches);
  BatchSampler resumed(corpus, options);
  resumed.restore(sampler.state());
  while (sampler.state().epoch == 0) {
    const Batch batch = sampler.next();
    CHECK(batch.sentence_ids == resumed.next().sentence_ids);
    for (const std::int64_t pair : batch.sentence_ids) CHECK(pair >= 300);
  }
  CHECK(sampler.state() == Sampler::State{1, 0, 2});
  for (const auto& [pair, count] : times_in_epoch(sampler)) {
    CHECK(pair >= 300);
    CHECK(count == 4);
  }
  // The next epoch is planned near the end of one, and is of the new stage nonetheless.
  while (sampler.state().position + 2 < sampler.batches_in_epoch()) sampler.skip(1);
  sampler.begin_stage(3);
  while (sampler.state().epoch == 2) sampler.skip(1);
  std::int64_t first = 0;
  for (const auto& [pair, count] : times_in_epoch(sampler)) first += pair < 300 ? count : 0;
  CHECK(first == 300);
  CHECK_THROWS_WITH(sampler.begin_stage(4), "BatchSampler: expected a stage from 0 to 3, given 4");
  CHECK_THROWS_WITH(sampler.restore({0, 0, -1}),
                    "BatchSampler: expected a stage from 0 to 3, given -1");
  CHECK(sampler.state().epoch == 4);
}

TEST_CASE("mixture: temperature lifts small texts, and 1 leaves them as they are") {
  const std::vector<double> plain = tempered_shares({900, 1000}, 1);
  CHECK(plain[0] == doctest::Approx(900));
  CHECK(plain[1] == doctest::Approx(100));
  const std::vector<double> lifted = tempered_shares({900, 1000}, 2);
  CHECK(lifted[0] / lifted[1] == doctest::Approx(3));
}

TEST_CASE("mixture: a run goes on where it stopped, in the same draws") {
  const ParallelCorpus corpus = ParallelCorpus::joined({part(10, 30), part(50, 10)});
  const BatchOptions options{.tokens_per_batch = 20, .shares = {{1, 3.2}}};
  BatchSampler whole(corpus, options), halves(corpus, options);
  for (int i = 0; i < 25; ++i) whole.next();  // of the second epoch
  CHECK(whole.state().epoch > 0);
  halves.restore(whole.state());
  for (int i = 0; i < 7; ++i) {
    CHECK(whole.next().sentence_ids == halves.next().sentence_ids);
  }
}

TEST_CASE("mixture: BPE-dropout cuts a pair anew whenever it comes, within an epoch, too") {
  const testing::TinyText text = testing::tiny_text();
  const TextLines source = text.source_lines(), target = text.target_lines();
  const ParallelCorpus corpus = ParallelCorpus::from_lines(source, "en", target, "de",
                                                           testing::tiny_tokenizer(source, target));
  const ParallelCorpus twice = ParallelCorpus::joined({corpus, corpus});
  // The first part comes more than once in an epoch, the second one hardly.
  BatchSampler sampler(twice, {.tokens_per_batch = 200, .bpe_dropout = 0.3, .shares = {{20, 1}}});
  std::map<std::int64_t, std::set<Ids>> ways;
  std::map<std::int64_t, std::int64_t> times;
  while (sampler.state().epoch == 0) {
    const Batch batch = sampler.next();
    for (std::int64_t i = 0; i < batch.target_segments.count(); ++i) {
      const auto begin = batch.target_out.begin();
      ways[batch.sentence_ids[i]].emplace(begin + batch.target_segments.begin(i),
                                          begin + batch.target_segments.end(i));
      ++times[batch.sentence_ids[i]];
    }
  }
  std::int64_t repeated = 0, anew = 0;
  for (const auto& [pair, count] : times) {
    repeated += count > 1;
    anew += count > 1 && ways[pair].size() > 1;
  }
  CHECK(repeated > 100);
  CHECK(anew > repeated * 8 / 10);
}

TEST_CASE("mixture: what makes no sense is refused") {
  const ParallelCorpus corpus = ParallelCorpus::joined({part(10, 30), part(50, 10)});
  CHECK_THROWS_WITH(BatchSampler(corpus, {.shares = {{1, 2, 3}}}),
                    "shares: expected one for each of the 2 texts, given 3");
  CHECK_THROWS_WITH(BatchSampler(corpus, {.shares = {{1, -1}}}),
                    "shares: expected numbers of at least 0, given -1");
  CHECK_THROWS_WITH(BatchSampler(corpus, {.shares = {{1, 1}, {0, 0}}}),
                    "shares: expected one above 0, given none");
  CHECK_THROWS_WITH(BatchSampler(corpus, {.shares = {{1e308, 1e308}}}),
                    "shares: expected numbers whose sum is finite, given 1e+308 among others (what "
                    "counts is how they compare: make all smaller)");
  CHECK_NOTHROW(BatchSampler(corpus, {.shares = {{1e307, 1e307}}}));
}

TEST_CASE("tags: a language's piece leads every source, which no text can write") {
  const testing::TinyText text = testing::tiny_text();
  const testing::ScratchFolder folder;
  testing::write_file(folder / "en", text.source + "\n");
  testing::write_file(folder / "de", text.target + "\n");
  SentencePieceOptions settings;
  settings.vocabulary = 200;
  settings.languages = {"de", "fr"};
  const SharedTokenizer tokenizer =
      SentencePieceTokenizer::train_files({folder / "en", folder / "de"}, settings);
  const std::int32_t german = tokenizer->expected_tag_of("de");
  CHECK(tokenizer->piece(german) == "<2de>");
  CHECK(tokenizer->tag_of("fr") == german + 1);
  CHECK_FALSE(tokenizer->tag_of("nl"));
  CHECK(contains(message_of([&] { tokenizer->expected_tag_of("nl"); }),
                 "language: expected one of de, fr, given nl"));
  const Ids spelt = tokenizer->encode("<2de> she");
  CHECK(std::find(spelt.begin(), spelt.end(), german) == spelt.end());

  const ParallelCorpus tagged = ParallelCorpus::load_or_make(
      folder / "pairs", {folder / "en", folder / "de", "de"}, tokenizer, {});
  CHECK_THROWS_WITH(ParallelCorpus::load(folder / "en", folder / "de", tokenizer),
                    doctest::Contains("expected the one to translate to, of de, fr, given none"));
  const TextLines sources = text.source_lines(), targets = text.target_lines();
  const auto plain = tokenizer->encode_all(sources.views()),
             plain_targets = tokenizer->encode_all(targets.views(), Side::target);
  REQUIRE(tagged.size() == std::ssize(plain));
  for (std::int64_t i = 0; i < tagged.size(); ++i) {
    const auto [source, target] = tagged.read(i);
    CHECK(source[0] == german);
    CHECK(Ids(source.begin() + 1, source.end()) == plain[i]);
    CHECK(Ids(target.begin(), target.end()) == plain_targets[i]);
  }
  // The tag is kept whole, and decodes to nothing.
  const Ids pieces = tokenizer->resegment(tagged.read(0).source, 0.9, 1);
  CHECK(pieces.front() == german);
  CHECK(std::count(pieces.begin(), pieces.end(), german) == 1);
  CHECK(tokenizer->decode(pieces) == tokenizer->decode(plain[0]));
  CHECK(tokenizer->resegment(plain[0], 0, 1) == plain[0]);

  settings.languages = {"d e"};
  CHECK_THROWS_WITH(SentencePieceTokenizer::train_files({folder / "en"}, settings),
                    "language: expected a short name of letters, digits, - and _, given 'd e'");
}

}  // namespace
}  // namespace kette

// What a translation run trains on: the batches of its task, without the training.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <numeric>

#include "tests/data/epochs.h"
#include "tests/data/tiny_text.h"
#include "tests/decode/decode_models.h"
#include "tests/train/toy_training.h"
#include "train/adam.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// Source and target.
std::pair<std::int64_t, std::int64_t> tokens_of(const std::vector<Batch>& batches) {
  std::pair<std::int64_t, std::int64_t> tokens;
  for (const Batch& batch : batches) {
    tokens.first += batch.source_segments.rows();
    tokens.second += batch.target_segments.rows();
  }
  return tokens;
}

}  // namespace

TEST_CASE_FIXTURE(OneThread, "a run trains on its sentences in another order each epoch") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "one");
  options.steps = 1;
  TranslationTask task(options);
  const auto first = ids_of(epoch_of(task.sampler())), second = ids_of(epoch_of(task.sampler()));
  CHECK(first != second);
  options.out = folder / "two";
  options.seed = 2;
  TranslationTask other(options);
  CHECK(ids_of(epoch_of(other.sampler())) != first);
  std::vector<std::int64_t> all(300);
  std::iota(all.begin(), all.end(), 0);
  for (auto order : {first, second}) {
    std::sort(order.begin(), order.end());
    CHECK(order == all);
  }
}

TEST_CASE_FIXTURE(OneThread, "BPE-dropout gives a run more and shorter pieces, on both sides") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "plain");
  options.steps = 1;
  TranslationTask plain(options);
  options.out = folder / "dropped";
  options.bpe_dropout = 0.5;
  TranslationTask dropped(options);
  const auto [source, target] = tokens_of(epoch_of(plain.sampler()));
  const auto [more_source, more_target] = tokens_of(epoch_of(dropped.sampler()));
  CHECK(more_source > source + source / 10);
  CHECK(more_target > target + target / 10);
}

TEST_CASE_FIXTURE(OneThread, "a run says which pairs of its validation text are left out") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "whole");
  options.steps = 1;
  CHECK_FALSE(contains(TranslationTask(options).report(), "to validate on"));
  write_file(options.valid_source, "ao bo\n\nco\n");
  write_file(options.valid_target, "bu au\nau\ncu\n");
  options.out = folder / "dropped";
  CHECK(contains(TranslationTask(options).report(),
                 "\nto validate on: 3 sentence pairs read, 2 kept, 1 dropped\n"
                 "  1 with an empty side: line 2 ("));
}

TEST_CASE_FIXTURE(OneThread, "a step of several batches is a mean over the tokens of them all") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "run");
  options.steps = 1;
  options.accumulate = 3;
  options.clip_norm = 1e9;  // for the norm to be in the log
  train(options);
  options.out = folder / "by hand";
  TranslationTask task(options);
  const Model& model = task.model();
  Adam adam(task.parameters(), options.optimizer);
  const std::vector<Batch> batches = {task.sampler().next(), task.sampler().next(),
                                      task.sampler().next()};
  const StepResult step = train_step(
      model, adam, batches, {1e-3, options.label_smoothing, options.clip_norm, options.seed});
  const std::vector<double> norms = logged(folder / "run", "gradient_norm");
  REQUIRE(norms.size() == 1);
  CHECK(norms[0] == doctest::Approx(step.gradient_norm).epsilon(1e-6).scale(0));
}

TEST_CASE_FIXTURE(OneThread, "a step reports the likelihood without the smoothing of its loss") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "run");
  options.steps = 1;
  TranslationTask task(options);
  const Model& model = task.model();
  const Batch batch = task.sampler().next();
  const auto step = [&](double smoothing) {
    Adam adam(task.parameters(), options.optimizer);
    return train_step(model, adam, {&batch, 1}, {0, smoothing, 0, options.seed});
  };
  const StepResult plain = step(0), smoothed = step(0.1);
  CHECK(plain.negative_log_likelihood == plain.loss);
  CHECK(smoothed.negative_log_likelihood == plain.loss);
  CHECK(smoothed.loss != plain.loss);
}

TEST_CASE_FIXTURE(OneThread,
                  "both directions: every text also the other way round, drawn as often as it is") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  const auto [source, target] = toy_text(300, 7);
  write_file(folder / "more.src", source);
  write_file(folder / "more.tgt", target);
  options.texts.push_back({folder / "more.src", folder / "more.tgt"});
  options.weights = {1, 3};
  options.both_directions = true;
  options.steps = 1;
  TranslationTask task(options);
  using Ids = std::vector<std::int32_t>;
  const auto sentence = [](const Ids& ids, const Segments& segments, std::int64_t i) {
    return Ids(ids.begin() + segments.begin(i),
               ids.begin() + segments.begin(i) + segments.length(i));
  };
  std::array<int, 4> times{};  // of the first text, of the second, and of each the other way round
  std::map<std::int64_t, std::pair<Ids, Ids>> pairs;
  for (const Batch& batch : epoch_of(task.sampler())) {
    for (std::int64_t i = 0; i < std::ssize(batch.sentence_ids); ++i) {
      const std::int64_t place = batch.sentence_ids[i];
      ++times.at(place / 300);
      pairs[place] = {sentence(batch.source, batch.source_segments, i),
                      sentence(batch.target_out, batch.target_segments, i)};
    }
  }
  CHECK(times == std::array<int, 4>{150, 450, 150, 450});
  int both_ways = 0;
  for (const auto& [place, pair] : pairs) {
    const auto other = pairs.find(place + 600);
    if (other == pairs.end()) continue;
    ++both_ways;
    CHECK(pair.first != pair.second);
    CHECK(other->second.first == pair.second);
    CHECK(other->second.second == pair.first);
  }
  CHECK(both_ways >= 300);
}

TEST_CASE_FIXTURE(OneThread, "with BPE-dropout, 60 steps equal 30, a resume and 30 more") {
  const ScratchFolder folder;
  TranslationTrainOptions whole = toy_options(folder, "whole");
  whole.steps = 60;
  whole.bpe_dropout = 0.3;
  train(whole);
  const std::vector<double> epochs = logged(whole.out, "epoch");
  REQUIRE(epochs[29] > 0);  // cut within an epoch that is not the first
  REQUIRE(epochs[29] == epochs[30]);
  CHECK(parameters_in(train_in_halves(whole).out) == parameters_in(whole.out));
}

TEST_CASE_FIXTURE(OneThread, "a step one of whose batches is not made changes nothing") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 1;
  TranslationTask task(options);
  Adam adam(task.parameters(), options.optimizer);
  const std::vector<float> before = task.parameters().values().values<float>();
  std::optional<Batch> left = task.sampler().next();
  StepBatches batches;
  batches.tokens = {tokens_of(*left), {1, 1}};
  batches.make = [&left](std::int64_t) { return std::exchange(left, std::nullopt); };
  CHECK_FALSE(TrainSteps(task.model(), adam).start(batches, {}));
  CHECK_FALSE(left);
  CHECK(adam.steps() == 0);
  CHECK(task.parameters().values().values<float>() == before);
}

TEST_CASE_FIXTURE(OneThread,
                  "a run that is stopped within a step of several batches begins that step again") {
  struct Stop : TrainObserver {
    void before_step(Task&, std::int64_t step) override {
      if (step == 5) std::raise(SIGTERM);
    }
  };
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "whole");
  options.accumulate = 3;
  options.steps = 8;
  train(options);
  const std::vector<float> whole = parameters_in(options.out);
  options.out = folder / "stopped";
  Stop stop;
  options.observers = {&stop};
  const TrainResult result = train(options);
  CHECK(result.interrupted == SIGTERM);
  CHECK(result.steps == 4);
  options.observers.clear();
  options.resume = true;
  train(options);
  CHECK(parameters_in(options.out) == whole);
  CHECK(logged(options.out, "loss").size() == 8);
}

// What a translation run trains on: the batches of its task, without the training.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "tests/decode/decode_models.h"
#include "tests/train/toy_training.h"

using namespace kette;
using namespace kette::testing;

namespace {

std::vector<Batch> epoch_of(TranslationTask& task) {
  std::vector<Batch> batches;
  for (const auto epoch = task.sampler().state().epoch; task.sampler().state().epoch == epoch;) {
    batches.push_back(task.sampler().next());
  }
  return batches;
}

std::vector<std::int64_t> sentences_of(const std::vector<Batch>& batches) {
  std::vector<std::int64_t> sentences;
  for (const Batch& batch : batches) {
    sentences.insert(sentences.end(), batch.sentence_ids.begin(), batch.sentence_ids.end());
  }
  return sentences;
}

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
  const auto first = sentences_of(epoch_of(task)), second = sentences_of(epoch_of(task));
  CHECK(first != second);
  options.out = folder / "two";
  options.seed = 2;
  TranslationTask other(options);
  CHECK(sentences_of(epoch_of(other)) != first);
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
  const auto [source, target] = tokens_of(epoch_of(plain));
  const auto [more_source, more_target] = tokens_of(epoch_of(dropped));
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
  Adam adam(task.parameters(), options.adam);
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
    Adam adam(task.parameters(), options.adam);
    return train_step(model, adam, {&batch, 1}, {0, smoothing, 0, options.seed});
  };
  const StepResult plain = step(0), smoothed = step(0.1);
  CHECK(plain.negative_log_likelihood == plain.loss);
  CHECK(smoothed.negative_log_likelihood == plain.loss);
  CHECK(smoothed.loss != plain.loss);
}

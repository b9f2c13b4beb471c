// Which of the models that a run has validated is left, and when patience ends it.
#include <doctest/doctest.h>

#include <cmath>

#include "data/files/safetensors.h"
#include "data/metrics/metrics.h"
#include "models/average.h"
#include "tests/decode/decode_models.h"
#include "tests/train/toy_training.h"
#include "tests/train/wrapped_task.h"

using namespace kette;
using namespace kette::testing;

namespace {

struct Scripted {
  double loss, score;
};

/// The loss is at its best before the score is, as it is with label smoothing.
const std::vector<Scripted> kValidations = {{3, 10}, {2, 12}, {2.5, 15}, {2.6, 14}, {2.7, 13}};

/// Whose validations are given.
class ScriptedTask final : public WrappedTask {
 public:
  ScriptedTask(const TranslationTrainOptions& options, std::vector<Scripted> validations)
      : WrappedTask(options), validations_(std::move(validations)) {}
  double validation_loss() override { return validations_.at(at_++).loss; }
  std::optional<Score> validation_score() override {
    return Score{"valid_bleu", "greedy BLEU", validations_.at(at_ - 1).score};
  }

 private:
  std::vector<Scripted> validations_;
  std::size_t at_ = 0;
};

TranslationTrainOptions scripted_options(const ScratchFolder& folder, const std::string& by) {
  TranslationTrainOptions options = toy_options(folder, by);
  options.best_by = by;
  options.steps = 10;
  options.validate_every = options.patience = 2;
  return options;
}

TrainResult train_scripted(const TranslationTrainOptions& options,
                           const std::vector<Scripted>& validations = kValidations) {
  ScriptedTask task(options, validations);
  return train(options, task);
}

}  // namespace

TEST_CASE_FIXTURE(OneThread,
                  "the best model may be that of the best score, and patience goes by it, too") {
  const ScratchFolder folder;
  TranslationTrainOptions by_loss = scripted_options(folder, kByLoss);
  TrainResult result = train_scripted(by_loss);
  CHECK(result.steps == 8);
  CHECK(result.best_valid_loss == 2);
  CHECK(step_of_model(by_loss.out) == "4");

  TranslationTrainOptions by_score = scripted_options(folder, kByScore);
  result = train_scripted(by_score);
  CHECK(result.steps == 10);
  CHECK(result.best_valid_loss == 2.5);  // the best model's
  CHECK(step_of_model(by_score.out) == "6");

  by_loss.best_by = kByScore;
  by_loss.resume = true;
  CHECK_THROWS_WITH_AS(train_scripted(by_loss), doctest::Contains("best_by"), Error);
}

TEST_CASE_FIXTURE(OneThread, "a run that goes on knows the best score of before") {
  const ScratchFolder folder;
  TranslationTrainOptions options = scripted_options(folder, kByScore);
  options.patience = 0;
  options.steps = 6;
  train_scripted(options);
  options.resume = true;
  options.steps = 8;
  CHECK(train_scripted(options, {{2.6, 14}}).best_valid_loss == 2.5);
  CHECK(step_of_model(options.out) == "6");
}

TEST_CASE("a run that goes on by its best BLEU counts the same words as before") {
  const ScratchFolder folder;
  const auto of = [&](const std::string& best_by, ScoreTokenizer tokenizer) {
    TranslationTrainOptions options = scripted_options(folder, best_by);
    options.bleu_tokenize = tokenizer;
    return fingerprint_of(options);
  };
  const auto refusal = [](const RunFingerprint& now, const RunFingerprint& before) {
    return message_of([&] { now.check_settings(before, "state"); });
  };
  const ScoreTokenizer usual = ScoreTokenizer::v13a, other = ScoreTokenizer::none;
  for (const char* by : {kByScore, "bleu"}) {
    CAPTURE(by);
    CHECK(contains(refusal(of(by, other), of(by, usual)),
                   "expected bleu_tokenize = 13a, as in the run that is resumed, given none"));
    CHECK(contains(refusal(of(by, usual), of(by, other)), "expected bleu_tokenize = none"));
    CHECK(refusal(of(by, other), of(by, other)) == "");
    // A run of a version that did not say it.
    RunFingerprint older = of(by, usual);
    std::erase_if(older.settings, [](const auto& one) { return one.name == "bleu_tokenize"; });
    CHECK(older.settings.size() + 1 == of(by, usual).settings.size());
    for (const ScoreTokenizer tokenizer : {usual, other}) {
      CHECK(refusal(of(by, tokenizer), older) == "");
    }
  }
  for (const char* by : {kByLoss, "chrf"}) {  // which do not go by these words
    CAPTURE(by);
    CHECK(refusal(of(by, other), of(by, usual)) == "");
  }
}

TEST_CASE_FIXTURE(
    OneThread,
    "the better of the mean of checkpoints and the best of them becomes the model, and a run goes on with the latter") {
  for (const double score : {16.0, 14.0}) {
    CAPTURE(score);
    const bool is_better = score > 15;
    const ScratchFolder folder;
    TranslationTrainOptions options = scripted_options(folder, kByScore);
    options.patience = 0;
    options.steps = 6;
    options.average = options.keep = 2;
    const std::vector<Scripted> validations = {{3, 10}, {2.5, 15}, {2, 12}, {2.4, score}};
    const TrainResult result = train_scripted(options, validations);
    CHECK(result.average.score->value == score);
    const auto model = options.out / "model.safetensors",
               worse = options.out / kCheckpointFolder / "average.safetensors";
    CHECK(is_average(model) == is_better);
    CHECK(std::filesystem::exists(worse) == !is_better);
    const auto mean = SafetensorsFile::open(is_better ? model : worse, Checksum::crc32);
    CHECK(mean.metadata().at("averaged_steps") == "4,6");
    CHECK(validation_result_in(is_better ? model : worse)->score->value == score);

    options.resume = true;  // there is nothing left to do
    CHECK(train_scripted(options, {}).average.score->value == score);
    CHECK(is_average(model) == is_better);

    options.steps = 10;
    options.average = 0;
    options.keep = 1;  // the checkpoint of the best is gone
    train_scripted(options, {{2.6, 14}, {2.7, 13}});
    CHECK(step_of_model(options.out) == "4");
    CHECK(SafetensorsFile::open(model, Checksum::crc32)
              .tensor("shared_embedding/weight")
              .values<float>() != mean.tensor("shared_embedding/weight").values<float>());
  }
}

TEST_CASE_FIXTURE(OneThread, "the best model may be that of any metric's best score") {
  const ScratchFolder folder;
  for (const std::string& metric : metric_names()) {
    CAPTURE(metric);
    TranslationTrainOptions options = scripted_options(folder, metric);
    options.validate_score = true;
    options.steps = 2;
    train(options);
    const ValidationResult result = *validation_result_in(options.out / "model.safetensors");
    CHECK(result.score->name == "valid_" + metric);
    CHECK(result.score->label == "greedy " + metric_config(metric)->metric().name);
    CHECK(std::abs(result.cost(metric)) == result.score->value);
    CHECK(std::signbit(result.cost(metric)) == !lower_is_better(metric));
    CHECK(logged(options.out, result.score->name.c_str()) ==
          std::vector<double>{result.score->value});
    CHECK_THROWS_WITH_AS(static_cast<void>(result.cost(metric == "ter" ? "bleu" : "ter")),
                         doctest::Contains("expected a validation that is scored by"), Error);
  }
  TranslationTrainOptions unknown = scripted_options(folder, "tre");
  CHECK_THROWS_WITH_AS(
      train(unknown),
      doctest::Contains("best_by: expected one of loss, score, bleu, chrf, chrf++, ter, given tre"),
      Error);
}

TEST_CASE_FIXTURE(OneThread, "a best score of validations without one is an error") {
  const ScratchFolder folder;
  TranslationTrainOptions options = scripted_options(folder, kByScore);
  options.validate_score = false;
  WrappedTask task(options);
  CHECK_THROWS_WITH_AS(train(options, task),
                       doctest::Contains("expected a validation with a score"), Error);
}

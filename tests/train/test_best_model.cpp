// Which of the models that a run has validated is left, and when patience ends it.
#include <doctest/doctest.h>

#include "data/files/safetensors.h"
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

/// Whose validations, one every two steps, are as above.
class ScriptedTask final : public WrappedTask {
 public:
  ScriptedTask(const TranslationTrainOptions& options, std::size_t validations)
      : WrappedTask(options), at_(validations) {}
  double validation_loss() override { return kValidations.at(at_++).loss; }
  std::optional<Score> validation_score() override {
    return Score{"valid_bleu", "greedy BLEU", kValidations.at(at_ - 1).score};
  }

 private:
  std::size_t at_;
};

TranslationTrainOptions scripted_options(const ScratchFolder& folder, BestBy by) {
  TranslationTrainOptions options = toy_options(folder, std::string(enum_name(by)));
  options.best_by = by;
  options.steps = 10;
  options.validate_every = options.patience = 2;
  return options;
}

/// after: validations of earlier runs.
TrainResult train_scripted(const TranslationTrainOptions& options, std::size_t after = 0) {
  ScriptedTask task(options, after);
  return train(options, task);
}

std::string step_of_model(const TranslationTrainOptions& options) {
  return SafetensorsFile::open(options.out / "model.safetensors").metadata().at("step");
}

}  // namespace

TEST_CASE_FIXTURE(OneThread,
                  "the best model may be that of the best score, and patience goes by it, too") {
  const ScratchFolder folder;
  TranslationTrainOptions by_loss = scripted_options(folder, BestBy::loss);
  TrainResult result = train_scripted(by_loss);
  CHECK(result.steps == 8);
  CHECK(result.best_valid_loss == 2);
  CHECK(step_of_model(by_loss) == "4");

  TranslationTrainOptions by_score = scripted_options(folder, BestBy::score);
  result = train_scripted(by_score);
  CHECK(result.steps == 10);
  CHECK(result.best_valid_loss == 2.5);  // the best model's
  CHECK(step_of_model(by_score) == "6");

  by_loss.best_by = BestBy::score;
  by_loss.resume = true;
  CHECK_THROWS_WITH_AS(train_scripted(by_loss, 4), doctest::Contains("best_by"), Error);
}

TEST_CASE_FIXTURE(OneThread, "a run that goes on knows the best score of before") {
  for (const bool averaged : {false, true}) {
    CAPTURE(averaged);
    const ScratchFolder folder;
    TranslationTrainOptions options = scripted_options(folder, BestBy::score);
    options.patience = 0;
    options.steps = 6;
    options.average = averaged ? 1 : 0;
    // The mean is validated, too, as what comes next.
    train_scripted(options);
    CHECK(is_average(options.out / "model.safetensors") == averaged);
    options.resume = true;
    options.average = 0;
    options.steps = 8;
    const TrainResult result = train_scripted(options, 3);
    CHECK(result.best_valid_loss == 2.5);
    CHECK(step_of_model(options) == "6");
  }
}

TEST_CASE_FIXTURE(OneThread, "a best score of validations without one is an error") {
  const ScratchFolder folder;
  TranslationTrainOptions options = scripted_options(folder, BestBy::score);
  options.validate_bleu = false;
  WrappedTask task(options);
  CHECK_THROWS_WITH_AS(train(options, task),
                       doctest::Contains("expected a validation with a score"), Error);
}

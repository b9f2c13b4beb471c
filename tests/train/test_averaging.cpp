// Runs whose model becomes the mean of their last checkpoints.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "data/files/safetensors.h"
#include "models/average.h"
#include "models/model_directory.h"
#include "tests/decode/decode_models.h"
#include "tests/train/left_models.h"
#include "tests/train/toy_training.h"
#include "tests/train/wrapped_task.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// A run whose loss wavers, until patience ends it.
TranslationTrainOptions wavering_options(const ScratchFolder& folder, const std::string& out) {
  TranslationTrainOptions options = toy_options(folder, out);
  options.schedule = {ScheduleKind::constant, 0.03, 1, 16, 0};
  options.steps = 400;
  options.validate_every = 2;
  options.patience = 4;
  return options;
}

}  // namespace

TEST_CASE_FIXTURE(
    OneThread,
    "a run that goes on after a mean of checkpoints comes to the end and the model of one without it") {
  const ScratchFolder folder;
  const TranslationTrainOptions whole = wavering_options(folder, "whole");
  const TrainResult expected = train(whole);
  const std::vector<double> losses = logged(whole.out, "valid_loss");
  // The mean is made where the losses since the best were worse.
  const auto best = std::min_element(losses.begin(), losses.end()) - losses.begin();
  REQUIRE(std::ssize(losses) - best == whole.patience + 1);
  for (const auto validations : {best + 2, best + 3}) {
    CAPTURE(validations);
    TranslationTrainOptions options = whole;
    options.out = folder / ("averaged-" + std::to_string(validations));
    options.steps = validations * options.validate_every;
    options.average = 2;
    train(options);
    CHECK(is_average(mean_in(options.out)));
    options.average = 0;
    options.resume = true;
    options.steps = whole.steps;
    const TrainResult result = train(options);
    CHECK(result.steps == expected.steps);
    CHECK(result.best_valid_loss == expected.best_valid_loss);
    CHECK(read_file(options.out / "model.safetensors") ==
          read_file(whole.out / "model.safetensors"));
  }
}

TEST_CASE_FIXTURE(
    OneThread,
    "a run in parts, ended between two validations, has the patience and the mean of a whole one") {
  const ScratchFolder folder;
  TranslationTrainOptions whole = wavering_options(folder, "whole");
  whole.average = 3;
  const TrainResult expected = train(whole);
  // Each end is a validation of its own, between two that are due.
  TranslationTrainOptions parts = whole;
  parts.out = folder / "parts";
  for (parts.steps = 1; parts.steps < expected.steps; parts.steps += 2) {
    CHECK(train(parts).steps == parts.steps);
    parts.resume = true;
  }
  parts.steps = whole.steps;
  CHECK(train(parts).steps == expected.steps);
  const auto names = [](const std::filesystem::path& out) {
    std::vector<std::string> result;
    for (const auto& file : list_checkpoints(out)) result.push_back(file.filename());
    return result;
  };
  CHECK(names(parts.out) == names(whole.out));
  CHECK(read_file(mean_in(parts.out)) == read_file(mean_in(whole.out)));
}

TEST_CASE_FIXTURE(OneThread, "after kette average the best that is still kept becomes the model") {
  const ScratchFolder folder;
  TranslationTrainOptions options = wavering_options(folder, "whole");
  train(options);
  const std::vector<double> losses = logged(options.out, "valid_loss");
  const auto best = std::min_element(losses.begin(), losses.end()) - losses.begin();
  REQUIRE(best + 4 < std::ssize(losses));
  options.out = folder / "model";
  options.patience = 0;
  options.keep = 1;  // the best is gone
  options.steps = (best + 2) * options.validate_every;
  train(options);
  average_checkpoints(list_checkpoints(options.out), options.out / "model.safetensors");
  options.resume = true;
  options.steps += 2 * options.validate_every;
  const TrainResult result = train(options);
  CHECK(result.best_valid_loss == losses[best]);
  const std::int64_t kept = losses[best + 2] <= losses[best + 3] ? best + 2 : best + 3;
  CHECK(SafetensorsFile::open(options.out / "model.safetensors").metadata().at("step") ==
        std::to_string((kept + 1) * options.validate_every));
}

TEST_CASE_FIXTURE(OneThread,
                  "the mean of checkpoints is validated, and a resume of it knows the best") {
  const ScratchFolder folder;
  TranslationTrainOptions options = wavering_options(folder, "model");
  options.average = options.patience = 2;
  options.validate_score = true;
  const TrainResult whole = train(options);
  CHECK(std::isfinite(whole.average.loss));
  CHECK(whole.average.loss != whole.last.loss);
  const SavedModel<Transformer> saved = load_model<Transformer>(options.out);
  load_parameters(mean_in(options.out), saved.model->parameters());
  CHECK(whole.average.loss == doctest::Approx(loss_by_scoring(saved, options)).epsilon(1e-4));

  options.resume = true;
  const std::string log = read_file(options.out / "log.jsonl"),
                    model = read_file(options.out / "model.safetensors"),
                    averaged = read_file(mean_in(options.out));
  for (const bool is_known : {true, false}) {
    CAPTURE(is_known);
    if (!is_known) std::filesystem::remove(mean_in(options.out));
    const auto made = is_known ? std::filesystem::last_write_time(mean_in(options.out))
                               : std::filesystem::file_time_type();
    const TrainResult again = train(options);
    CHECK((std::filesystem::last_write_time(mean_in(options.out)) == made) == is_known);
    CHECK(again.steps == whole.steps);  // patience is at its end
    CHECK(again.best_valid_loss == whole.best_valid_loss);
    CHECK(again.average.loss == whole.average.loss);
    REQUIRE(again.average.score);
    CHECK(again.average.score->name == "valid_bleu");
    CHECK(again.average.score->label == whole.average.score->label);
    CHECK(again.average.score->value == whole.average.score->value);
    CHECK(read_file(options.out / "log.jsonl") == log);
    CHECK(read_file(options.out / "model.safetensors") == model);
    CHECK(read_file(mean_in(options.out)) == averaged);
  }
  options.average = 3;
  CHECK(train(options).average.loss != whole.average.loss);
}

namespace {

/// A task whose validations take long.
class SlowValidation final : public WrappedTask {
 public:
  SlowValidation(const TranslationTrainOptions& options, std::chrono::milliseconds time)
      : WrappedTask(options), time_(time) {}
  double validation_loss() override {
    std::this_thread::sleep_for(time_);
    return WrappedTask::validation_loss();
  }

 private:
  std::chrono::milliseconds time_;
};

}  // namespace

TEST_CASE_FIXTURE(OneThread,
                  "tokens a second are those of training, whatever validations and means take") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = options.validate_every = 2;
  options.average = 1;
  constexpr double kSeconds = 2;
  SlowValidation task(options, std::chrono::milliseconds(static_cast<int>(1000 * kSeconds)));
  const TrainResult result = train(options, task);
  CHECK(std::isfinite(result.average.loss));
  const std::vector<double> tokens = logged(options.out, "target_tokens");
  REQUIRE(tokens.size() == 2);
  CHECK((tokens[0] + tokens[1]) / result.target_tokens_per_second < kSeconds);
}

TEST_CASE_FIXTURE(OneThread, "the time of a run is also that of its last validation and its mean") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = options.validate_every = 2;
  options.average = 1;
  SlowValidation task(options, std::chrono::milliseconds(300));
  CHECK(train(options, task).seconds >= 0.6);
  CHECK(peek_training_state(options.out / kTrainingState)->seconds >= 0.3);
}

// Runs whose model becomes the mean of their last checkpoints.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "models/average.h"
#include "models/model_directory.h"
#include "tests/decode/decode_models.h"
#include "tests/train/toy_training.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE_FIXTURE(OneThread,
                  "a longer run after a mean of checkpoints leaves the best model again") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 6;
  options.validate_every = 2;
  options.keep = options.average = 2;
  const TrainResult averaged = train(options);
  CHECK(is_average(options.out / "model.safetensors"));
  options.average = 0;
  options.resume = true;
  options.steps = 8;
  const TrainResult result = train(options);
  CHECK_FALSE(is_average(options.out / "model.safetensors"));
  CHECK(result.best_valid_loss == result.valid_loss);
}

TEST_CASE_FIXTURE(OneThread,
                  "the mean of checkpoints is validated, and a resume of it knows the best") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.schedule = {ScheduleKind::constant, 0.03, 1, 16, 0};  // so large that it wavers
  options.steps = 400;
  options.validate_every = options.average = 2;
  options.patience = 2;
  const TrainResult whole = train(options);
  CHECK(std::isfinite(whole.average_valid_loss));
  CHECK(whole.average_valid_loss != whole.valid_loss);
  const SavedModel<Transformer> saved = load_model<Transformer>(options.out);
  TranslationTrainOptions mean = options;  // whose first validation is of the mean as it is
  mean.out = folder / "mean";
  mean.from = options.out;
  mean.model = saved.model->config();
  mean.average = mean.patience = 0;
  mean.schedule.lr = 1e-30;
  mean.steps = mean.validate_every = 1;
  CHECK(train(mean).valid_loss == doctest::Approx(whole.average_valid_loss).epsilon(1e-6));

  options.resume = true;
  const TrainResult again = train(options);
  CHECK(again.steps == whole.steps);  // patience is at its end
  CHECK(again.best_valid_loss == whole.best_valid_loss);
  CHECK(again.average_valid_loss == whole.average_valid_loss);
}

namespace {

/// A task whose validations take long.
class SlowValidation final : public Task {
 public:
  SlowValidation(const TranslationTrainOptions& options, std::chrono::milliseconds time)
      : task_(options), time_(time) {}

  const Model& model() const override { return task_.model(); }
  ParamStore& parameters() override { return task_.parameters(); }
  const RunFolder& folder() const override { return task_.folder(); }
  Sampler& sampler() override { return task_.sampler(); }
  const std::vector<Batch>& validation_batches() const override {
    return task_.validation_batches();
  }
  double validation_loss() override {
    std::this_thread::sleep_for(time_);
    return task_.validation_loss();
  }
  std::string report() const override { return task_.report(); }
  void save_description() const override { task_.save_description(); }

 private:
  TranslationTask task_;
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
  CHECK(std::isfinite(result.average_valid_loss));
  const std::vector<double> tokens = logged(options.out, "target_tokens");
  REQUIRE(tokens.size() == 2);
  CHECK((tokens[0] + tokens[1]) / result.target_tokens_per_second < kSeconds);
}

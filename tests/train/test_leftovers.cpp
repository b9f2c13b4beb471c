// What a start that failed or a run that was killed leaves behind, and data that were changed, in the next run.
#include <doctest/doctest.h>

#include "models/adapter_directory.h"
#include "models/average.h"
#include "models/model_directory.h"
#include "tests/data/tiny_text.h"
#include "tests/decode/decode_models.h"
#include "tests/train/left_models.h"
#include "tests/train/toy_training.h"
#include "train/training_state.h"

using namespace kette;
using namespace kette::testing;
namespace fs = std::filesystem;

TEST_CASE_FIXTURE(OneThread,
                  "a start takes away what one before it left: adapters and checkpoints") {
  const ScratchFolder folder;
  TranslationTrainOptions base = toy_options(folder, "base");
  base.steps = 2;
  train(base);
  TranslationTrainOptions options = toy_options(folder, "tuned");
  options.from = base.out;
  options.model = {};
  options.schedule = {ScheduleKind::constant, 1e30, 1, 16, 0};
  options.lora.rank = 2;
  options.lora.on = {"all"};
  options.steps = 3;
  CHECK(contains(message_of([&] { train(options); }), "expected a finite"));
  REQUIRE(fs::exists(options.out / "adapter.json"));
  fs::copy(list_checkpoints(base.out).back(),
           options.out / "checkpoints" / "step-1000.safetensors");

  options.schedule.lr = 1e-3;
  options.lora = {};
  options.validate_every = 1;
  options.keep = options.average = 2;
  train(options);
  CHECK_FALSE(fs::exists(options.out / "adapter.json"));
  CHECK_FALSE(fs::exists(options.out / "adapter.safetensors"));
  CHECK(parameter_file(options.out) == options.out / "model.safetensors");
  CHECK(SafetensorsFile::open(mean_in(options.out)).metadata().at("averaged_steps") == "2,3");

  // As a run leaves it that is killed while it validates.
  fs::copy(list_checkpoints(base.out).back(),
           options.out / "checkpoints" / "step-1000.safetensors");
  options.resume = true;
  options.steps = 4;
  train(options);
  CHECK(step_of_checkpoint(list_checkpoints(options.out).back()) == 4);
}

TEST_CASE_FIXTURE(OneThread, "another validation text does not begin the epoch again") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 30;
  train(options);
  const Sampler::State stopped = peek_training_state(options.out / "training.safetensors")->sampler;
  const auto [source, target] = toy_text(20, 9);
  write_file(options.valid_source, source);
  write_file(options.valid_target, target);
  options.resume = options.force_data = true;
  options.steps = 31;
  train(options);
  CHECK(peek_training_state(options.out / "training.safetensors")->sampler ==
        Sampler::State{stopped.epoch, stopped.position + 1});
}

TEST_CASE_FIXTURE(OneThread,
                  "with another validation text, a run with nothing left to train is validated") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 6;
  const TrainResult before = train(options);
  const auto [source, target] = toy_text(20, 9);
  write_file(options.valid_source, source);
  write_file(options.valid_target, target);
  options.resume = options.force_data = true;
  const TrainResult result = train(options);
  CHECK(result.last.loss != before.last.loss);
  CHECK(result.best_valid_loss == result.last.loss);
  const SavedModel<Transformer> saved = load_model<Transformer>(options.out);
  CHECK(result.last.loss == doctest::Approx(loss_by_scoring(saved, options)).epsilon(1e-4));
  REQUIRE(list_checkpoints(options.out).size() == 1);
  CHECK(step_of_checkpoint(list_checkpoints(options.out).front()) == 6);
  // That was not due, and a run that goes on is without it.
  options.force_data = false;
  options.steps = 8;
  train(options);
  REQUIRE(list_checkpoints(options.out).size() == 1);
  CHECK(step_of_checkpoint(list_checkpoints(options.out).front()) == 8);
}

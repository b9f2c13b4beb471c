// A validation that a signal or a kill ends: it is made up for, and the run comes to what it would have come to.
#include <doctest/doctest.h>

#include <csignal>
#include <functional>

#include "models/average.h"
#include "tests/decode/decode_models.h"
#include "tests/train/left_models.h"
#include "tests/train/toy_training.h"
#include "tests/train/wrapped_task.h"
#include "train/interrupt.h"

using namespace kette;
using namespace kette::testing;
namespace fs = std::filesystem;

namespace {

/// In one of whose validations something happens.
class EventfulTask final : public WrappedTask {
 public:
  EventfulTask(const TranslationTrainOptions& options, int validation, std::function<void()> event)
      : WrappedTask(options), left_(validation), event_(std::move(event)) {}
  double validation_loss() override {
    if (--left_ == 0) event_();
    return WrappedTask::validation_loss();
  }

 private:
  int left_;
  std::function<void()> event_;
};

void terminate() { std::raise(SIGTERM); }

struct Killed {};
void kill_it() { throw Killed(); }

TranslationTrainOptions short_options(const ScratchFolder& folder, const std::string& out) {
  TranslationTrainOptions options = toy_options(folder, out);
  options.steps = 10;
  options.validate_every = 4;
  options.average = 2;
  options.ema = 0.9;
  return options;
}

std::vector<std::string> log_of(const fs::path& out) {
  std::vector<std::string> lines;
  for (const JsonView& line : JsonView::lines(read_file(out / "log.jsonl"))) {
    lines.push_back(line.without({"seconds", "target_tokens_per_second"}).dump());
  }
  return lines;
}

void check_same(const fs::path& run, const fs::path& whole) {
  CHECK(parameters_in(run) == parameters_in(whole));
  CHECK(log_of(run) == log_of(whole));
  CHECK(read_file(run / "model.safetensors") == read_file(whole / "model.safetensors"));
  CHECK(read_file(mean_in(run)) == read_file(mean_in(whole)));
  REQUIRE(list_checkpoints(run).size() == list_checkpoints(whole).size());
  for (std::size_t i = 0; i < list_checkpoints(run).size(); ++i) {
    CHECK(read_file(list_checkpoints(run)[i]) == read_file(list_checkpoints(whole)[i]));
  }
}

}  // namespace

TEST_CASE_FIXTURE(OneThread,
                  "a signal ends a validation, which the resume begins with, to the same bits") {
  const ScratchFolder folder;
  const TranslationTrainOptions whole = short_options(folder, "whole");
  train(whole);
  // After steps 4, 8 and 10, and that of the mean.
  for (const int validation : {1, 2, 3, 4}) {
    CAPTURE(validation);
    TranslationTrainOptions options = whole;
    options.out = folder / ("stopped-" + std::to_string(validation));
    {
      EventfulTask task(options, validation, terminate);
      CHECK(train(options, task).interrupted == SIGTERM);
    }
    const auto state = peek_training_state(options.out / kTrainingState);
    CHECK(state->step == std::min(4 * validation, 10));
    CHECK(state->validation_due == (validation < 3));
    CHECK(state->last_validated == (validation == 4 ? 10 : 4 * (validation - 1)));
    options.resume = true;
    CHECK(train(options).interrupted == 0);
    CHECK_FALSE(peek_training_state(options.out / kTrainingState)->validation_due);
    check_same(options.out, whole.out);
  }
}

TEST_CASE_FIXTURE(OneThread,
                  "a validation does not put off a save that is due, and a kill costs it alone") {
  const ScratchFolder folder;
  const TranslationTrainOptions whole = short_options(folder, "whole");
  train(whole);
  TranslationTrainOptions options = whole;
  options.out = folder / "killed";
  options.save_every_seconds = 0;  // after each step
  {
    EventfulTask task(options, 2, kill_it);
    CHECK_THROWS_AS(train(options, task), Killed);
  }
  CHECK(peek_training_state(options.out / kTrainingState)->step == 8);
  // As if it had come between the log and the save.
  write_file(options.out / "log.jsonl", read_file(options.out / "log.jsonl") +
                                            R"({"step":8,"valid_loss":3.5,"best":true})" + "\n");
  options.resume = true;
  train(options);
  check_same(options.out, whole.out);
}

TEST_CASE_FIXTURE(OneThread, "a signal ends the translation of a validation, too") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.validate_score = true;
  options.steps = 1;
  TranslationTask task(options);
  const InterruptGuard guard;
  CHECK(task.validation_score());
  terminate();
  CHECK_THROWS_AS(task.validation_score(), Interrupted);
}

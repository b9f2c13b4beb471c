// Runs whose texts are mixed by weights that change: what is written, when a stage begins, and the same bits whatever
// stopped the run.
#include <doctest/doctest.h>

#include <csignal>
#include <map>

#include "tests/data/tiny_text.h"
#include "tests/decode/decode_models.h"
#include "tests/train/resumed_run.h"
#include "tests/train/thread_transport.h"
#include "tests/train/toy_training.h"
#include "train/run_length.h"
#include "train/text_task.h"

using namespace kette;
using namespace kette::testing;

namespace {

using Texts = std::vector<std::string>;

std::string message_of_stages(const Texts& texts) {
  return message_of([&] { Stages{texts}; });
}

/// Of two texts, of which the first has 300 pairs, as many as the second.
TranslationTrainOptions staged_options(const ScratchFolder& folder, const std::string& out,
                                       const Texts& stages) {
  TranslationTrainOptions options = toy_options(folder, out);
  const auto [source, target] = toy_text(300, 7);
  write_file(folder / "more.src", source);
  write_file(folder / "more.tgt", target);
  options.texts.push_back({folder / "more.src", folder / "more.tgt"});
  options.stages = Stages(stages);
  options.validate_every = 1000;
  return options;
}

/// Notes from which text each step's pairs come, and stops a run with the step `last`, if any.
struct Watch : TrainObserver {
  explicit Watch(std::int64_t step = 0) : last(step) {}
  void before_step(Task& task, std::int64_t step) override {
    for (const std::int64_t pair : task.sampler().peek(0).sentence_ids) {
      ++pairs[step][static_cast<std::size_t>(pair / 300 % 2)];
    }
    if (step == last) std::raise(SIGTERM);
  }
  std::int64_t last;
  std::map<std::int64_t, std::array<int, 2>> pairs;
};

std::vector<double> losses_of(const std::filesystem::path& out) { return logged(out, "loss"); }

}  // namespace

TEST_CASE("stages: what is written is read, and is the same when it is read again") {
  const Stages stages({"1 1 0 until 60%", " 1  0.5 2 until 20000 steps", "1 1 1 until 3 epochs",
                       "0 0 1 until 1.5 minutes", "1 1 4"});
  REQUIRE(stages.size() == 5);
  CHECK(stages[0].weights == std::vector<double>{1, 1, 0});
  CHECK(stages[1].unit == StageUnit::steps);
  CHECK(stages[1].until == 20000);
  CHECK(stages[4].lasts_to_the_end());
  Texts written;
  for (std::int64_t i = 0; i < stages.size(); ++i) written.push_back(stages[i].str());
  CHECK(written == Texts{"1 1 0 until 60%", "1 0.5 2 until 20000 steps", "1 1 1 until 3 epochs",
                         "0 0 1 until 1.5 minutes", "1 1 4"});
  const Stages again(written);
  for (std::int64_t i = 0; i < stages.size(); ++i) CHECK(again[i].str() == stages[i].str());
  CHECK(Stages({"1 until 1 epoch", "1 until 2.50 %", "2 until 100%"})[1].end() == "2.5%");
  CHECK(Stages({"1 until 1 epoch", "2"})[0].unit == StageUnit::epochs);
  CHECK(Stages().empty());
  CHECK(Stages().at({1, 10, 10, 10}) == 0);
  stages.check_texts(3);
  CHECK_THROWS_WITH(stages.check_texts(2),
                    "stages: expected a weight for each of the 2 texts, given 1 1 0 until 60%");
}

TEST_CASE("stages: what makes no sense is refused, and says what does") {
  const std::string end =
      "stages: expected an end such as 60%, 20000 steps, 3 epochs or 90 minutes, given ";
  CHECK(message_of_stages({"1 0 until 60", "1 1"}) == end + "60");
  CHECK(message_of_stages({"1 0 until", "1 1"}) == end + "nothing");
  CHECK(message_of_stages({"1 0 until 0 steps", "1 1"}) == end + "0steps");
  CHECK(message_of_stages({"1 0 until 3 weeks", "1 1"}) == end + "3weeks");
  CHECK(message_of_stages({"1 0 until inf%", "1 1"}) == end + "inf%");
  const std::string weights =
      "stages: expected weights of at least 0, then until when (\"1 0.5 until 60%\"), given ";
  CHECK(message_of_stages({"1 -1 until 60%", "1 1"}) == weights + "-1 in 1 -1 until 60%");
  CHECK(message_of_stages({"1 1 60%", "1 1"}) == weights + "60% in 1 1 60%");
  CHECK(message_of_stages({"1,1"}) == weights + "1,1 in 1,1");
  CHECK(message_of_stages({"nan 1"}) == weights + "nan in nan 1");
  CHECK(message_of_stages({"0 0 until 60%", "1 1"}) ==
        "stages: expected a weight above 0 in each, given 0 0 until 60%");
  CHECK(message_of_stages({""}) == "stages: expected a weight above 0 in each, given none");
  CHECK(contains(message_of_stages({"1 0", "1 1"}), "of each but the last"));
  CHECK(contains(message_of_stages({"1 0 until 100%", "1 1"}), "of each but the last"));
  CHECK(message_of_stages({"1 0 until 60%", "1 1 until 90%"}) ==
        "stages: expected a last one without an end, given 1 1 until 90%");
  CHECK(message_of_stages({"1 0 until 60%", "1 1 until 60%", "1 2"}) ==
        "stages: expected an end after 60%, as one before it has, given 1 1 until 60%");
  Stages({"1 0 until 60%", "1 1 until 5 steps", "1 2"});  // which comes first is not known
}

TEST_CASE(
    "stages: each begins when the end of the one before it is reached, whatever it is told in") {
  TrainOptions options;
  RunStanding at;
  at.batches_in_epoch = 4;
  SUBCASE("a share of steps: with the step after it, and no rounding moves that") {
    for (const std::int64_t steps : {7, 100, 1000, 12345}) {
      options.steps = steps;
      for (int percent = 1; percent < 100; ++percent) {
        options.stages = Stages({"1 until " + std::to_string(percent) + "%", "2"});
        at.step = steps * percent / 100;
        const bool is_exact = at.step * 100 == steps * percent;
        CHECK(next_stage(options, at) == (is_exact ? 1 : 0));
        at.step += is_exact ? -1 : 1;
        CHECK(next_stage(options, at) == (is_exact ? 0 : 1));
      }
    }
  }
  SUBCASE("a share of epochs, and of minutes") {
    options.stages = Stages({"1 until 50%", "2"});
    options.epochs = 3;
    at.epoch = 1;
    at.batch = 1;
    CHECK(next_stage(options, at) == 0);
    at.batch = 2;
    CHECK(next_stage(options, at) == 1);
    at.batch = 1;
    options.minutes = 2;
    at.seconds = 59;
    CHECK(next_stage(options, at) == 0);
    at.seconds = 60;
    CHECK(next_stage(options, at) == 1);
  }
  SUBCASE("steps, epochs and minutes, in any order") {
    options.stages = Stages({"1 until 10 steps", "2 until 1.5 epochs", "3 until 2 minutes", "4"});
    at.step = 9;
    at.epoch = 2;
    at.seconds = 200;
    CHECK(next_stage(options, at) == 0);
    at.step = 10;
    CHECK(next_stage(options, at) == 3);
    at.seconds = 119;
    CHECK(next_stage(options, at) == 2);
    at.epoch = 1;
    at.batch = 1;
    CHECK(next_stage(options, at) == 1);
    at.batch = 2;
    CHECK(next_stage(options, at) == 2);
  }
  SUBCASE("one that has begun is left for none before it, though the run is made longer") {
    options.stages = Stages({"1 until 50%", "2 until 75%", "3"});
    options.steps = 200;
    at.step = 60;
    at.stage = 1;
    CHECK(next_stage(options, at) == 1);
    at.step = 150;
    CHECK(next_stage(options, at) == 2);
  }
}

TEST_CASE("stages: a run says which of them it ends before, and that shares are of a length") {
  TrainOptions options;
  options.steps = 100;
  options.stages = Stages({"1 until 60%", "2 until 99 steps", "3 until 100 steps", "4"});
  CHECK(notes_before(options, {}, 16) ==
        Texts{"stage 4 begins after 100 steps, and the run ends before that",
              "the learning rate rises for 4000 steps, and there are 100 (--warmup)"});
  CHECK(contains(schedule_json(options),
                 R"("stages":["1 until 60%","2 until 99 steps","3 until 100 steps","4"])"));
  options.steps = 0;
  options.patience = 3;
  CHECK_THROWS_WITH(options.check(),
                    doctest::Contains("stages: expected steps, epochs or minutes"));
  options.stages = Stages({"2 until 99 steps", "3"});
  options.check();
}

TEST_CASE_FIXTURE(OneThread, "stages: each draws by its weights, and the log says when it begins") {
  const ScratchFolder folder;
  TranslationTrainOptions options =
      staged_options(folder, "model", {"1 0 until 30%", "1 3 until 24 steps", "0 1"});
  options.steps = 30;
  options.validate_every = 9;  // a validation just before a stage
  Watch watch;
  options.observers = {&watch};
  train(options);
  CHECK(logged(options.out, "stage") == std::vector<double>{1, 2, 3});
  std::vector<std::string> lines;
  std::int64_t last = 0;
  for (const JsonView& line : JsonView::lines(read_file(options.out / "log.jsonl"))) {
    CHECK(line["step"] >= last);
    last = line["step"].get<std::int64_t>();
    if (line.contains("stage")) lines.push_back(line.dump());
  }
  CHECK(lines == Texts{R"({"step":1,"stage":1,"weights":[1.0,0.0]})",
                       R"({"step":10,"stage":2,"weights":[1.0,3.0]})",
                       R"({"step":25,"stage":3,"weights":[0.0,1.0]})"});
  int first = 0, second = 0;
  for (const auto& [step, of] : watch.pairs) {
    CHECK((of[1] == 0) == (step <= 9));
    if (step > 24) CHECK(of[0] == 0);
    if (step > 9 && step <= 24) first += of[0], second += of[1];
  }
  CHECK(second > 2 * first);
  CHECK(first > 0);
}

TEST_CASE_FIXTURE(OneThread, "stages: a run that is stopped anywhere goes on to the same bits") {
  const ScratchFolder folder;
  TranslationTrainOptions options =
      staged_options(folder, "whole", {"1 0 until 50%", "1 3 until 75%", "0 1"});
  options.steps = 24;
  std::vector<std::int64_t> stops = {11, 12, 13, 18, 20};
  SUBCASE("") {}
  SUBCASE("BPE-dropout") { options.bpe_dropout = 0.3; }
  SUBCASE("both directions, over the ends of epochs") {
    options.both_directions = true;
    options.batch_tokens = 600;
  }
  SUBCASE("stopped within the step that begins a stage, which is not taken") {
    options.accumulate = 3;
    stops = {13, 19};
  }
  SUBCASE("in epochs") {
    options.steps = 0;
    options.epochs = 2;
    options.batch_tokens = 300;
  }
  train(options);
  const std::vector<double> losses = losses_of(options.out), stages = logged(options.out, "stage");
  CHECK(stages.size() == 3);
  if (options.epochs > 0) CHECK(std::abs(std::ssize(losses) - 24) < 10);
  const std::vector<float> whole = parameters_in(options.out);
  for (const std::int64_t last : stops) {
    CAPTURE(last);
    TranslationTrainOptions halves = options;
    halves.out = folder / ("stopped-" + std::to_string(last));
    Watch stop(last);
    halves.observers = {&stop};
    CHECK(train(halves).interrupted == SIGTERM);
    halves.observers.clear();
    halves.resume = true;
    train(halves);
    CHECK(losses_of(halves.out) == losses);
    CHECK(logged(halves.out, "stage") == stages);
    CHECK(parameters_in(halves.out) == whole);
  }
}

TEST_CASE_FIXTURE(OneThread, "stages: two that mix alike train what weights train") {
  const ScratchFolder folder;
  TranslationTrainOptions options = staged_options(folder, "staged", {"1 3 until 40%", "1 3"});
  options.steps = 30;
  options.batch_tokens = 300;
  train(options);
  CHECK(logged(options.out, "stage").size() == 2);
  TranslationTrainOptions weighted = options;
  weighted.out = folder / "weighted";
  weighted.stages = {};
  weighted.weights = {1, 3};
  train(weighted);
  CHECK(logged(weighted.out, "stage").empty());
  CHECK(losses_of(weighted.out) == losses_of(options.out));
  CHECK(parameters_in(weighted.out) == parameters_in(options.out));
}

TEST_CASE_FIXTURE(OneThread, "stages: by the clock they begin once their share of it is over") {
  const ScratchFolder folder;
  TranslationTrainOptions options = staged_options(folder, "model", {"1 0 until 50%", "0 1"});
  options.minutes = 0.02;
  train(options);
  double begins = 0;
  for (const JsonView& line : JsonView::lines(read_file(options.out / "log.jsonl"))) {
    if (line.contains("stage")) begins = line["step"].get<double>();
  }
  const std::vector<double> seconds = logged(options.out, "seconds");
  REQUIRE(begins > 2);
  const auto step = static_cast<std::size_t>(begins) - 1;  // whose place in the log is one less
  CHECK(seconds[step - 1] >= 0.6);
  CHECK(seconds[step - 2] < 0.6);
}

TEST_CASE_FIXTURE(OneThread,
                  "stages: two processes begin them together, and train what one trains") {
  const ScratchFolder folder;
  TranslationTrainOptions options =
      staged_options(folder, "alone", {"1 0 until 50%", "1 3 until 75%", "0 1"});
  options.steps = 16;
  options.accumulate = 4;
  train(options);
  in_threads(2, [&](Communicator& communicator) {
    TranslationTrainOptions mine = options;
    mine.out = folder / "together";
    mine.communicator = &communicator;
    train(mine);
  });
  CHECK(logged(folder / "together", "stage") == std::vector<double>{1, 2, 3});
  CHECK(losses_of(folder / "together") == losses_of(options.out));
  CHECK(parameters_in(folder / "together") == parameters_in(options.out));
}

TEST_CASE_FIXTURE(OneThread, "stages: they are part of a run, and of one whose texts are mixed") {
  const ScratchFolder folder;
  TranslationTrainOptions options = staged_options(folder, "model", {"1 0 until 50%", "0 1"});
  options.steps = 2;
  const auto refused = [&](const auto& change) {
    TranslationTrainOptions changed = options;
    change(changed);
    return message_of([&] { train(changed); });
  };
  CHECK(contains(refused([](auto& o) {
                   o.weights = {1, 1};
                 }),
                 "stages: expected stages, weights or a temperature, given several of them"));
  CHECK(contains(refused([](auto& o) { o.temperature = 2; }), "given several of them"));
  CHECK(contains(refused([](auto& o) { o.texts.pop_back(); }),
                 "stages: expected a weight for each of the 1 texts, given 1 0 until 50%"));
  CHECK_FALSE(std::filesystem::exists(options.out));
  train(options);
  options.resume = true;
  options.steps = 3;
  CHECK(contains(
      refused([](auto& o) {
        o.stages = Stages({"1 0 until 40%", "0 1"});
      }),
      "expected stage 1 = 1 0 until 50%, as in the run that is resumed, given 1 0 until 40%"));
  CHECK(contains(refused([](auto& o) { o.stages = {}; }), "expected stage 1 = 1 0 until 50%"));
  train(options);
}

TEST_CASE("stages: a language model's run goes on in its stage, to the same bits") {
  const ScratchFolder folder;
  write_file(folder / "a.txt", std::string(600, 'a'));
  write_file(folder / "b.txt", std::string(600, 'b'));
  TextTrainOptions options;
  options.text = {folder / "a.txt", folder / "b.txt"};
  options.out = folder / "whole";
  options.model.context = 8;
  options.model.width = 16;
  options.model.heads = 2;
  options.model.layers = 1;
  options.batch_tokens = 32;
  options.quiet = true;
  options.steps = 12;
  options.schedule.kind = ScheduleKind::constant;
  options.stages = Stages({"1 0 until 5 steps", "0 1"});
  train(options);
  const auto values = [&](const char* name) { return parameters_in(folder / name); };
  for (const std::int64_t steps : {3, 5, 9}) {
    options.out = folder / "parts";
    std::filesystem::remove_all(options.out);
    options.resume = false;
    options.steps = steps;
    train(options);
    options.resume = true;
    options.steps = 12;
    train(options);
    CHECK(values("parts") == values("whole"));
  }
  options.out = folder / "other";
  options.resume = false;
  options.stages = Stages({"1 0 1 until 5 steps", "0 1 1"});
  CHECK(contains(message_of([&] { train(options); }),
                 "stages: expected a weight for each of the 2 texts, given 1 0 1 until 5 steps"));
}

TEST_CASE_FIXTURE(OneThread, "stages: a state of a version without them is of the first") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 2;
  train(options);
  const std::filesystem::path file = options.out / "training.safetensors";
  std::string bytes = read_file(file);
  const std::size_t at = bytes.find("stage\\\":0");
  REQUIRE(at != std::string::npos);
  bytes.replace(at, 5, "other");
  write_file(file, bytes);
  const auto state = peek_training_state(file);
  REQUIRE(state);
  CHECK(state->sampler.stage == 0);
  CHECK(state->sampler.position == 2);
}

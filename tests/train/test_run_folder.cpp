// The life of a run's folder: starts that were killed start again, what diverged is not kept, data
// and options are known again, one run at a time.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "data/files/block_checksums.h"
#include "data/files/folder_lock.h"
#include "models/average.h"
#include "models/model_directory.h"
#include "tests/data/tiny_text.h"
#include "tests/decode/decode_models.h"
#include "tests/train/toy_training.h"

using namespace kette;
using namespace kette::testing;
namespace fs = std::filesystem;

namespace {

std::string message_of_training(const TranslationTrainOptions& options) {
  return message_of([&] { train(options); });
}

/// A text with its n-th line (from 1) replaced.
std::string with_line(const std::string& text, int n, const std::string& line) {
  std::size_t begin = 0;
  for (int i = 1; i < n; ++i) begin = text.find('\n', begin) + 1;
  return text.substr(0, begin) + line + text.substr(text.find('\n', begin));
}

std::string repeated(const std::string& word, int times) {
  std::string line = word;
  for (int i = 1; i < times; ++i) line += " " + word;
  return line;
}

}  // namespace

TEST_CASE_FIXTURE(OneThread,
                  "a start that was killed at any point starts again, and so does a resume") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "whole");
  options.steps = 4;
  train(options);
  const std::vector<float> whole = parameters_in(options.out);
  // In the order in which a start writes them.
  const std::vector<std::string> files = {".lock",       "train.tokens",    "training.safetensors",
                                          "config.json", "tokenizer.model", "model.safetensors"};
  TranslationTrainOptions untrained = options;
  untrained.out = folder / "untrained";
  untrained.steps = 0;
  untrained.minutes = std::numeric_limits<double>::min();  // over before the first step
  train(untrained);
  write_file(untrained.out / ".lock", "process 1 on a host that is gone");
  for (std::size_t written = 0; written <= files.size(); ++written) {
    for (const bool resume : {false, true}) {
      CAPTURE(written);
      CAPTURE(resume);
      TranslationTrainOptions again = options;
      again.out = folder / ("killed-" + std::to_string(written) + (resume ? "-resumed" : ""));
      again.resume = resume;
      fs::create_directories(again.out);
      for (std::size_t i = 0; i < written; ++i) {
        fs::copy(untrained.out / files[i], again.out / files[i]);
      }
      CHECK(train(again).steps == 4);
      CHECK(parameters_in(again.out) == whole);
      CHECK_FALSE(fs::exists(again.out / ".lock"));
    }
  }
}

TEST_CASE_FIXTURE(OneThread,
                  "a model that no run left is not written over, asked to resume or not") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 1;
  train(options);
  const std::string state = read_file(options.out / "training.safetensors");
  fs::remove(options.out / "training.safetensors");
  const std::string model = read_file(options.out / "model.safetensors");
  CHECK(contains(message_of_training(options), "expected a folder without a model"));
  options.resume = true;
  CHECK(contains(message_of_training(options), "no training.safetensors to go on from"));
  CHECK(read_file(options.out / "model.safetensors") == model);
}

TEST_CASE_FIXTURE(OneThread, "a run that diverges ends with an error, and nothing of it is kept") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.schedule = {ScheduleKind::constant, 1e30, 1, 16, 0};
  options.steps = 1;
  options.average = 1;
  const std::string message = message_of_training(options);
  CAPTURE(message);
  CHECK(contains(message, "expected a finite validation loss at step 1, given"));
  CHECK(contains(message, "nan; no model was replaced"));
  CHECK(contains(message, "--resume goes on from step 0"));
  CHECK(contains(message, "a lower learning rate"));
  CHECK(step_of_model(options.out) == "0");
  CHECK(list_checkpoints(options.out).empty());
  for (const float value : parameters_in(options.out)) REQUIRE(std::isfinite(value));

  options.out = folder / "infinite";
  options.schedule.lr = 1e39;  // beyond f32, so that the parameters themselves are
  CHECK(contains(message_of_training(options), "expected finite parameters and moments at step 1"));
  CHECK(list_checkpoints(options.out).empty());
  load_model<Transformer>(options.out);

  options.out = folder / "unvalidated";
  options.steps = 2;
  options.save_every_seconds = 0;  // after each step
  CHECK(contains(message_of_training(options), "expected finite parameters and moments at step 1"));
  for (const float value : parameters_in(options.out)) REQUIRE(std::isfinite(value));
}

TEST_CASE_FIXTURE(OneThread,
                  "a parameter that is not finite is refused by name, loaded or averaged") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 2;
  train(options);
  const SavedModel<Transformer> saved = load_model<Transformer>(options.out);
  const Leaf& leaf = *saved.model->parameters().find("decoder/0/feed_forward/outer/bias");
  leaf.value.data<float>()[3] = std::numeric_limits<float>::quiet_NaN();
  save_parameters(options.out / "model.safetensors", saved.model->parameters(), {});
  const std::string message = message_of([&] { load_model<Transformer>(options.out); });
  CAPTURE(message);
  CHECK(contains(message,
                 "model.safetensors: expected finite parameters, given nan in decoder/0/"
                 "feed_forward/outer/bias"));
  CHECK(contains(message_of([&] {
                   average_checkpoints({options.out / "checkpoints" / "step-2.safetensors",
                                        options.out / "model.safetensors"},
                                       folder / "mean");
                 }),
                 "model.safetensors: expected finite values, given nan in decoder/0/"));
  CHECK_FALSE(fs::exists(folder / "mean"));
}

TEST_CASE_FIXTURE(OneThread, "a damaged checkpoint enters no average") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 2;
  options.validate_every = 1;
  train(options);
  const std::vector<fs::path> files = list_checkpoints(options.out);
  std::string bytes = read_file(files[0]);
  bytes[bytes.size() - 100] = static_cast<char>(bytes[bytes.size() - 100] ^ 1);
  write_file(files[0], bytes);
  CHECK(contains(message_of([&] { average_checkpoints(files, folder / "mean"); }),
                 "step-1.safetensors: expected content with the checksum"));
  options.resume = true;
  options.steps = 3;
  options.average = 3;
  CHECK(contains(message_of_training(options), "step-1.safetensors: expected content with"));
}

TEST_CASE_FIXTURE(OneThread,
                  "a resume knows its data by content: moved is allowed, changed is not") {
  const ScratchFolder folder, elsewhere;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 200;
  train(options);
  const std::vector<float> whole = parameters_in(options.out);
  options.out = folder / "halves";
  options.steps = 100;
  train(options);

  options.resume = true;
  options.steps = 200;
  const std::string text = read_file(options.texts[0].source.file);
  write_file(options.texts[0].source.file, with_line(text, 7, "ao bo"));
  const std::string message = message_of_training(options);
  CAPTURE(message);
  CHECK(contains(message, "train.src: expected the source text that the run in"));
  CHECK(contains(message, "--force-data"));
  write_file(options.texts[0].source.file, text);
  write_file(elsewhere / "new", read_file(options.valid_target) + "ao\n");
  TranslationTrainOptions other_validation = options;
  other_validation.valid_target = elsewhere / "new";
  CHECK(contains(message_of_training(other_validation), "new: expected the valid_target text"));

  for (fs::path* file :
       {&options.texts[0].source.file, &options.texts[0].target.file, &options.valid_source}) {
    fs::rename(*file, elsewhere / file->filename());
    *file = elsewhere / ".." / elsewhere.path().filename() / file->filename();
  }
  train(options);
  CHECK(parameters_in(options.out) == whole);
}

TEST_CASE_FIXTURE(OneThread, "changed data can be insisted on, and the log says that they were") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 30;
  train(options);
  const auto sampler = [&] {
    return peek_training_state(options.out / "training.safetensors")->sampler;
  };
  const Sampler::State stopped = sampler();
  CHECK(stopped.position > 0);
  const auto [source, target] = toy_text(200, 9);
  write_file(options.texts[0].source.file, source);
  write_file(options.texts[0].target.file, target);
  options.resume = options.force_data = true;
  options.steps = 31;
  CHECK(train(options).steps == 31);
  CHECK(sampler() == Sampler::State{stopped.epoch, 1});  // the changed text, from its start
  CHECK(contains(read_file(options.out / "log.jsonl"),
                 R"({"step":30,"changed_data":["source","target"]})"));
  options.force_data = false;  // these are its data now
  options.steps = 45;
  CHECK(train(options).steps == 45);
}

TEST_CASE_FIXTURE(OneThread, "a changed text to learn from does not cost the best model") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 60;
  const TrainResult before = train(options);
  const std::string model = read_file(options.out / "model.safetensors");
  const std::string targets = read_file(options.texts[0].target.file);
  std::string garbage;
  for (auto i = std::count(targets.begin(), targets.end(), '\n'); i > 0; --i) garbage += "au\n";
  write_file(options.texts[0].target.file, garbage);
  options.resume = options.force_data = true;
  options.steps = 120;
  const TrainResult after = train(options);
  CHECK(after.last.loss > before.last.loss);
  CHECK(after.best_valid_loss == before.best_valid_loss);
  CHECK(read_file(options.out / "model.safetensors") == model);
}

TEST_CASE_FIXTURE(OneThread,
                  "options that cannot change on a resume are refused with both values") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 2;
  train(options);
  options.resume = true;
  options.steps = 3;
  const auto refused = [&](const auto& change, const std::string& said) {
    TranslationTrainOptions changed = options;
    change(changed);
    const std::string message = message_of_training(changed);
    CAPTURE(message);
    CHECK(contains(message, said));
  };
  refused([](auto& o) { o.vocabulary = 50; },
          "expected vocab = 60, as in the run that is resumed, given 50");
  refused([&](auto& o) { o.tokenizer = o.out; }, "expected tokenizer = none");
  refused([](auto& o) { o.model.width = 32; }, "expected model.width = 16");
  refused([](auto& o) { o.schedule.kind = ScheduleKind::constant; },
          "expected schedule = inverse_sqrt, as in the run that is resumed, given constant");
  refused([](auto& o) { o.optimizer.beta2 = 0.9; }, "expected beta2 = 0.98");
  refused([](auto& o) { o.max_length = 40; }, "expected max_length = 256");
  CHECK(train(options).steps == 3);
}

TEST_CASE_FIXTURE(OneThread, "one run at a time in a folder") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 2;
  fs::create_directories(options.out);
  {
    const FolderLock other(options.out);
    const std::string message = message_of_training(options);
    CAPTURE(message);
    CHECK(contains(message, "no other run is at work"));
    CHECK(contains(message, "process " + std::to_string(::getpid()) + " on "));
    options.resume = true;
    CHECK(contains(message_of_training(options), "no other run is at work"));
    CHECK_FALSE(fs::exists(options.out / "config.json"));
  }
  options.resume = false;
  CHECK(train(options).steps == 2);
}

TEST_CASE_FIXTURE(OneThread, "what the model has no positions for is told before the first step") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 2;
  options.model.max_length = 12;
  const std::string valid = read_file(options.valid_source);
  write_file(options.valid_source, with_line(valid, 5, repeated("ao", 30)));
  std::string message = message_of_training(options);
  CAPTURE(message);
  CHECK(contains(message, "valid.src:5: expected at most 11 tokens"));
  write_file(options.valid_source, valid);
  write_file(options.texts[0].target.file,
             with_line(read_file(options.texts[0].target.file), 8, repeated("au", 30)));
  message = message_of_training(options);
  CHECK(contains(message, "train.tgt:8: expected at most 11 tokens"));
  CHECK_FALSE(fs::exists(options.out / "model.safetensors"));
  options.max_length = 11;  // leaves the line out
  CHECK(train(options).steps == 2);
}

TEST_CASE_FIXTURE(OneThread, "resuming a finished run again and again changes nothing") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 10;
  options.patience = 3;
  const TrainResult first = train(options);
  const std::string log = read_file(options.out / "log.jsonl");
  const std::string state = read_file(options.out / "training.safetensors");
  options.resume = true;
  for (int i = 0; i < 5; ++i) {
    const TrainResult again = train(options);
    CHECK(again.steps == 10);
    CHECK(again.last.loss == first.last.loss);
  }
  CHECK(read_file(options.out / "log.jsonl") == log);
  CHECK(read_file(options.out / "training.safetensors") == state);
  options.steps = 12;
  CHECK(train(options).steps == 12);
}

TEST_CASE_FIXTURE(OneThread, "text is made into ids once; ids that are damaged are made again") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 4;
  train(options);
  const std::vector<float> whole = parameters_in(options.out);
  const fs::path pairs = options.out / "train.tokens";
  const auto written = fs::last_write_time(pairs);
  options.out = folder / "halves";
  options.steps = 2;
  train(options);
  options.steps = 4;
  options.resume = true;
  const fs::path own = options.out / "train.tokens";
  const std::string good = read_file(own);
  const auto kept = fs::last_write_time(own);
  train(options);
  CHECK(fs::last_write_time(own) == kept);
  CHECK(parameters_in(options.out) == whole);

  std::string bad = good;
  bad[4096 + 40] = static_cast<char>(bad[4096 + 40] ^ 1);
  write_file(own, bad);
  options.steps = 5;
  train(options);
  CHECK(read_file(own) == good);
  CHECK(fs::last_write_time(pairs) == written);
}

TEST_CASE("resume: a language model's run of version 0.1.0 called the kind of its norms norm") {
  const auto of = [](const std::string& name, const std::string& value) {
    return RunFingerprint::from_json("{\"settings\": {\"" + name + "\": \"" + value +
                                     "\"}, \"data\": {}}");
  };
  RunFingerprint now;
  now.add("model.norm_kind", "rms");
  now.check_settings(of("model.norm", "rms"), "state");
  CHECK_THROWS_AS(now.check_settings(of("model.norm", "layer"), "state"), Error);
  CHECK(of("model.norm", "pre").settings.front().name == "model.norm");  // an order stays
}

TEST_CASE("fingerprint: a run of an older version goes on, whose settings lack what came later") {
  RunFingerprint now, stored, changed;
  TransformerConfig config = small_transformer(NormOrder::post);
  now.add_model(config);
  stored = now;
  std::erase_if(stored.settings, [](const RunFingerprint::Setting& setting) {
    return setting.name == "model.key_width" || setting.name == "model.positions";
  });
  REQUIRE(stored.settings.size() + 2 == now.settings.size());
  now.check_settings(RunFingerprint::from_json(stored.to_json()), "state");
  config.key_width = 4;
  changed.add_model(config);
  CHECK_THROWS_WITH_AS(changed.check_settings(stored, "state"),
                       doctest::Contains("expected model.key_width = 0"), Error);
}

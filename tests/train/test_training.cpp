// Training end to end on a small copied-with-a-twist language: resume, accumulation, threads,
// checkpoints.
#include <doctest/doctest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <functional>

#include "data/files/safetensors.h"
#include "data/files/text_file.h"
#include "decode/scorer.h"
#include "models/average.h"
#include "tests/decode/decode_models.h"
#include "tests/devices.h"
#include "tests/gap.h"
#include "tests/train/left_models.h"
#include "tests/train/toy_training.h"
#include "train/adam.h"
#include "train/train_step.h"

using namespace kette;
using namespace kette::testing;

namespace {

struct Stop : TrainObserver {
  std::int64_t at;
  explicit Stop(std::int64_t step) : at(step) {}
  void after_step(Task&, std::int64_t step) override {
    if (step == at) std::raise(SIGTERM);
  }
};

}  // namespace

TEST_CASE("200 steps equal 190, resume, and 10 more, bit for bit") {
  const ScratchFolder folder;
  TranslationTrainOptions whole = toy_options(folder, "whole");
  whole.steps = 200;
  train(whole);
  TranslationTrainOptions halves = toy_options(folder, "halves");
  halves.steps = 190;
  const TrainResult first = train(halves);
  halves.steps = 200;
  halves.resume = true;
  const TrainResult result = train(halves);
  CHECK(result.steps == 200);
  CHECK(result.seconds > first.seconds);  // of both
  CHECK(parameters_in(whole.out) == parameters_in(halves.out));

  // The log holds every step once, in order, over both runs.
  CHECK(logged(halves.out, "loss").size() == 200);
  const std::vector<double> steps = logged(halves.out, "step");
  CHECK(std::is_sorted(steps.begin(), steps.end()));
}

TEST_CASE("in bf16, 8 steps equal 4, resume, and 4 more, bit for bit") {
  const ScratchFolder folder;
  TranslationTrainOptions whole = toy_options(folder, "whole");
  whole.precision = DType::bf16;
  whole.steps = 8;
  train(whole);
  const TranslationTrainOptions halves = train_in_halves(whole);
  CHECK(parameters_in(whole.out) == parameters_in(halves.out));
}

TEST_CASE("training learns, whatever the number of threads to the same bits") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "one");
  options.steps = 60;
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const TrainResult one = train(options);
  omp_set_num_threads(3);
  options.out = folder / "three";
  train(options);
  omp_set_num_threads(threads);
  CHECK(parameters_in(folder / "one") == parameters_in(folder / "three"));
  CHECK(one.last.loss < 3.2);  // log of 60 words is 4.1
}

TEST_CASE("accumulated gradients equal those of the big batch") {
  TransformerConfig config;
  config.encoder_layers = config.decoder_layers = 1;
  config.width = 16;
  config.hidden = 24;
  config.heads = 2;
  config.vocabulary = 20;
  config.dropout = 0;
  TokenLists source, target;
  Random random(5);
  for (int i = 0; i < 12; ++i) {
    std::vector<std::int32_t> ids;
    for (int j = 0; j < 3 + i % 4; ++j)
      ids.push_back(static_cast<std::int32_t>(4 + random.below(16)));
    source.add(ids);
    target.add(ids);
  }
  using Parts = std::vector<std::vector<std::int64_t>>;
  const auto gradients = [&](const Parts& parts, DType dtype, Device device) {
    Transformer model(config);
    model.materialize(1, dtype, device);
    Adam adam(model.parameters(), {});
    std::vector<Batch> batches;
    for (const auto& part : parts)
      batches.push_back(make_batch(PairLists(source, target), part, SpecialTokens{}));
    train_step(model, adam, batches, {1e-3, 0.1, 0, 1});
    return model.parameters().gradients().values<double>();
  };
  const Parts whole{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
  const Parts parts{{0, 1, 2}, {3, 4, 5, 6, 7}, {8}, {9, 10, 11}};
  for (const Device device : test_devices()) {
    for (const DType dtype : {DType::f64, DType::bf16}) {
      CAPTURE(device.str());
      CAPTURE(std::string(name_of(dtype)));
      const auto big = gradients(whole, dtype, device);
      const auto accumulated = gradients(parts, dtype, device);
      double largest = 0;
      for (const double gradient : big) largest = std::max(largest, std::abs(gradient));
      CHECK(largest > 1e-3);
      CHECK(largest_gap(big, accumulated) < (dtype == DType::f64 ? 1e-12 : 2e-3) * largest);
    }
  }
}

TEST_CASE(
    "the validation loss is what scoring says of the model: neither dropped out nor smoothed") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 40;
  options.validate_every = 40;
  options.model.dropout = 0.5;
  const TrainResult result = train(options);
  const SavedModel<Transformer> saved = load_model<Transformer>(options.out);
  CHECK(result.last.loss == doctest::Approx(loss_by_scoring(saved, options)).epsilon(1e-4));
}

TEST_CASE("checkpoints: the last ones are kept, and averaged at the end") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 12;
  options.validate_every = 2;
  options.keep = 3;
  options.average = 2;
  train(options);
  const auto files = list_checkpoints(options.out);
  REQUIRE(files.size() == 3);  // by number: by name, 8 would come last
  CHECK(files.front().filename() == "step-8.safetensors");
  CHECK(files.back().filename() == "step-12.safetensors");
  const auto a = SafetensorsFile::open(files[1]).tensor("shared_embedding/weight").values<double>();
  const auto b = SafetensorsFile::open(files[2]).tensor("shared_embedding/weight").values<double>();
  const SafetensorsFile mean = SafetensorsFile::open(mean_in(options.out), Checksum::crc32);
  const auto m = mean.tensor("shared_embedding/weight").values<double>();
  for (std::size_t i = 0; i < m.size(); ++i)
    CHECK(m[i] == doctest::Approx((a[i] + b[i]) / 2).epsilon(1e-6));
  CHECK(mean.metadata().at("averaged_steps") == "10,12");
}

TEST_CASE("training stops early when the validation loss does not fall") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.schedule = {ScheduleKind::constant, 1e-12, 1, 16, 0};
  options.validate_every = 2;
  options.patience = 3;
  options.model.dropout = 0;
  const TrainResult result = train(options);
  CHECK(result.steps >= 4 * 2);
  CHECK(result.steps < 100);
  CHECK_FALSE(result.interrupted);
}

TEST_CASE("the Noam schedule goes by the width of the model that is trained") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 3;
  options.schedule = {ScheduleKind::noam, 1, 10, 999, 0};
  train(options);
  const std::vector<double> rates = logged(options.out, "lr");
  REQUIRE(rates.size() == 3);
  for (int step = 1; step <= 3; ++step) {
    CHECK(rates[step - 1] ==
          doctest::Approx(step * std::pow(10, -1.5) / std::sqrt(16)).epsilon(1e-4).scale(0));
  }
}

TEST_CASE("patience begins anew with every better model") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.schedule = {ScheduleKind::constant, 0.03, 1, 16, 0};  // so large that it wavers
  options.validate_every = 2;
  options.patience = 4;
  options.steps = 400;
  const TrainResult result = train(options);
  double best = 1e9;
  std::int64_t since_best = 0, wavered = 0, validations = 0;
  for (const double loss : logged(options.out, "valid_loss")) {
    REQUIRE(since_best < options.patience);
    ++validations;
    if (loss < best) {
      wavered += since_best;
      best = loss;
      since_best = 0;
    } else {
      ++since_best;
    }
  }
  CHECK(wavered > options.patience);
  CHECK(since_best == options.patience);
  CHECK(result.steps == validations * options.validate_every);
  CHECK(result.best_valid_loss == doctest::Approx(best).epsilon(1e-6));
}

TEST_CASE("the cosine schedule falls until the run ends, however its length is given") {
  const auto rates = [](TranslationTrainOptions options) {
    const TrainResult result = train(options);
    const std::vector<double> lr = logged(options.out, "lr");
    CHECK(static_cast<std::int64_t>(lr.size()) == result.steps);
    return lr;
  };
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "steps");
  options.schedule = {ScheduleKind::cosine, 1e-3, 4, 16, 0};
  CHECK_THROWS_WITH_AS(
      [&] {
        TranslationTrainOptions endless = options;
        endless.patience = 1;
        train(endless);
      }(),
      doctest::Contains("cosine"), Error);
  options.steps = 20;
  const auto by_steps = rates(options);
  CHECK(by_steps[3] == doctest::Approx(1e-3));
  CHECK(by_steps.back() == doctest::Approx(1e-4));
  options.out = folder / "epochs";
  options.steps = 0;
  options.epochs = 2;
  const auto by_epochs = rates(options);
  CHECK(*std::max_element(by_epochs.begin(), by_epochs.end()) == doctest::Approx(1e-3));
  CHECK(by_epochs.back() == doctest::Approx(1e-4).epsilon(0.05).scale(0));
  options.out = folder / "minutes";
  options.epochs = 0;
  options.minutes = 0.01;
  const auto by_minutes = rates(options);  // how many steps that is, and how even, is the machine's
  CHECK((by_minutes.size() <= 4 || by_minutes.back() < 1e-3));
}

TEST_CASE("a run is not overwritten, and a resume wants the same recipe") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 3;
  train(options);
  CHECK_THROWS_WITH_AS(train(options), doctest::Contains("continue it with --resume"), Error);
  options.resume = true;
  options.steps = 5;
  using Change = std::pair<const char*, std::function<void(TranslationTrainOptions&)>>;
  for (const auto& [said, change] :
       {Change{"batch_tokens = 128", [](auto& o) { o.batch_tokens = 64; }},
        {"accumulate = 1", [](auto& o) { o.accumulate = 2; }},
        {"schedule = inverse_sqrt", [](auto& o) { o.schedule.kind = ScheduleKind::noam; }},
        {"lr = 0.005", [](auto& o) { o.schedule.lr = 1e-3; }},
        {"warmup = 50", [](auto& o) { o.schedule.warmup = 7; }},
        {"beta1 = 0.9", [](auto& o) { o.optimizer.beta1 = 0.8; }},
        {"beta2 = 0.98", [](auto& o) { o.optimizer.beta2 = 0.9; }},
        {"epsilon = 1e-09", [](auto& o) { o.optimizer.epsilon = 1e-7; }},
        {"weight_decay = 0", [](auto& o) { o.optimizer.weight_decay = 0.1; }},
        {"label_smoothing = 0.1", [](auto& o) { o.label_smoothing = 0.2; }},
        {"clip_norm = 0", [](auto& o) { o.clip_norm = 1; }},
        {"precision = f32", [](auto& o) { o.precision = DType::bf16; }},
        {"seed = 1", [](auto& o) { o.seed = 2; }},
        {"bpe_dropout = 0", [](auto& o) { o.bpe_dropout = 0.1; }}}) {
    TranslationTrainOptions changed = options;
    change(changed);
    CHECK_THROWS_WITH_AS(train(changed), doctest::Contains(said), Error);
  }
  TranslationTrainOptions fresh = toy_options(folder, "nothing");
  fresh.steps = 3;
  fresh.resume = true;
  CHECK(train(fresh).steps == 3);
}

TEST_CASE("clipping: the log has the norm from before it") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 2;
  options.clip_norm = 1e-3;
  train(options);
  CHECK(logged(options.out, "gradient_norm").front() > 1e-3);
}

TEST_CASE("CUDA: 50 steps from the same seed lose as on the CPU") {
  const std::vector<Device> devices = test_devices();
  if (devices.size() == 1) return skip_cuda();
  const ScratchFolder folder;
  const auto losses = [&](Device device, DType precision, const std::string& name) {
    TranslationTrainOptions options = toy_options(folder, name);
    options.device = device;
    options.precision = precision;
    options.steps = 50;
    options.validate_every = 50;
    options.batch_tokens = 48;
    train(options);
    return logged(options.out, "loss");
  };
  const std::vector<double> cpu = losses(devices[0], DType::f32, "cpu");
  const std::vector<double> cuda = losses(devices[1], DType::f32, "cuda");
  const std::vector<double> bf16 = losses(devices[1], DType::bf16, "bf16");
  REQUIRE(cpu.size() == cuda.size());
  REQUIRE(cpu.size() == bf16.size());
  for (std::size_t i = 0; i < cpu.size(); ++i) {
    CAPTURE(i);
    CHECK(cuda[i] == doctest::Approx(cpu[i]).epsilon(1e-4));
    CHECK(bf16[i] == doctest::Approx(cpu[i]).epsilon(3e-2));
  }
}

TEST_CASE("with bf16, Adam moves the values in f32 and the model sees them rounded") {
  ParamStore store;
  const Variable weight = Scope(store).parameter("weight", {3}, Init::constant(1));
  store.materialize(1, DType::bf16);
  CHECK(weight.value().dtype() == DType::bf16);
  store.gradients().copy_from(Tensor::full(store.gradients().shape(), 1));
  Adam adam(store, {});
  for (int step = 0; step < 4; ++step) adam.step(1e-4);
  // Four steps of 1e-4 are lost one by one in bf16, whose neighbours of 1 lie 4e-3 below.
  CHECK(store.values().values<float>()[0] == doctest::Approx(1 - 4e-4).epsilon(1e-6));
  CHECK(weight.value().values<float>()[0] == 1);
  for (int step = 0; step < 40; ++step) adam.step(1e-4);
  CHECK(weight.value().values<float>()[0] < 1);
}

TEST_CASE_FIXTURE(OneThread,
                  "a cosine over epochs of unequal length goes on where it was, to the bit") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "whole");
  options.schedule = {ScheduleKind::cosine, 1e-2, 4, 16, 0};
  options.epochs = 6;
  options.validate_every = 1000;
  options.batch_tokens = 300;
  // Of two texts others are drawn each epoch, and have as many batches as their lengths make.
  const auto [source, target] = toy_text(300, 7);
  write_file(folder / "more.src", source);
  write_file(folder / "more.tgt", target);
  options.texts.push_back({folder / "more.src", folder / "more.tgt"});
  options.weights = {1, 3};
  train(options);
  const std::vector<double> epochs = logged(options.out, "epoch"),
                            rates = logged(options.out, "lr");
  std::vector<std::int64_t> lengths;
  for (int epoch = 0; epoch < 6; ++epoch) {
    lengths.push_back(std::count(epochs.begin(), epochs.end(), epoch));
  }
  const std::vector<float> whole = parameters_in(options.out);
  std::int64_t end = 0;
  int unequal = 0;
  for (std::size_t epoch = 0; epoch + 1 < lengths.size(); ++epoch) {
    end += lengths[epoch];
    if (lengths[epoch] == lengths[epoch + 1] || ++unequal > 2) continue;
    const std::int64_t step = end - 1;  // the next batch is the epoch's last
    CAPTURE(step);
    TranslationTrainOptions halves = options;
    halves.out = folder / ("stopped-" + std::to_string(step));
    Stop stop(step);
    halves.observers = {&stop};
    CHECK(train(halves).interrupted == SIGTERM);
    halves.observers.clear();
    halves.resume = true;
    train(halves);
    CHECK(logged(halves.out, "lr") == rates);
    CHECK(parameters_in(halves.out) == whole);
  }
  REQUIRE(unequal > 0);
}

TEST_CASE("the cosine of a run of so many minutes goes on where it was stopped") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.schedule = {ScheduleKind::cosine, 1e-3, 1, 16, 0};
  options.minutes = 5;
  Stop first(5), second(8);
  options.observers = {&first};
  train(options);
  options.resume = true;
  options.observers = {&second};
  train(options);
  const std::vector<double> rates = logged(options.out, "lr");
  REQUIRE(rates.size() == 8);
  for (const double rate : rates) CHECK(rate > 0.9e-3);
}

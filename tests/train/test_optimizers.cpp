// Optimisers beside Adam, held to the plain loop of their papers; how one takes the place of another in a run.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/files/safetensors.h"
#include "nn/layers.h"
#include "tests/devices.h"
#include "tests/emulated.h"
#include "tests/random_tensor.h"
#include "tests/train/toy_training.h"
#include "train/training_state.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// Chen et al. 2023, algorithm 2, element by element.
struct LionByHand {
  std::vector<double> values, moment;
  std::int64_t decayed = 0;
  int against_moment = 0, against_gradient = 0;  ///< steps whose sign is not that of the other

  void step(const std::vector<double>& gradient, double scale, double lr,
            const OptimizerOptions& o) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double g = scale * gradient[i];
      const double c = o.beta1 * moment[i] + (1 - o.beta1) * g;
      REQUIRE((c == 0 || std::abs(c) > 1e-5));  // of one sign, whatever is rounded
      const double decay = static_cast<std::int64_t>(i) < decayed ? o.weight_decay : 0;
      const double sign = c > 0 ? 1 : c < 0 ? -1 : 0;
      values[i] -= lr * (sign + decay * values[i]);
      against_moment += c * moment[i] < 0;
      against_gradient += c * g < 0;
      moment[i] = o.beta2 * moment[i] + (1 - o.beta2) * g;
    }
  }
};

OptimizerOptions options_of_lion() { return OptimizerOptions::of(OptimizerKind::lion); }

}  // namespace

TEST_CASE("no optimizer is made of parameters without values") {
  for (const OptimizerKind kind : {OptimizerKind::adam, OptimizerKind::lion}) {
    ParamStore store;
    Scope(store).parameter("matrix", {30, 10}, Init::normal(1));
    const std::string expected =
        "optimizer: expected parameters with values, given none (call materialize() first)";
    const OptimizerOptions options = OptimizerOptions::of(kind);
    CHECK_THROWS_WITH_AS(make_optimizer(store, options), expected.c_str(), Error);
    CHECK_THROWS_WITH_AS(make_optimizer(store, options, Shards(300)), expected.c_str(), Error);
    store.materialize(1);
    CHECK(make_optimizer(store, options)->state().front().values.elements() ==
          store.values().elements());
  }
}

TEST_CASE("Lion follows algorithm 2 of Chen et al., matrices decayed and vectors not") {
  for (const Device device : test_devices()) {
    for (const DType dtype : {DType::f64, DType::f32, DType::bf16}) {
      CAPTURE(device.str());
      CAPTURE(std::string(name_of(dtype)));
      ParamStore store;
      const Scope root(store);
      root.parameter("matrix", {30, 10}, Init::normal(1));
      root.parameter("vector", {50}, Init::normal(1));
      store.materialize(1, dtype, device);
      OptimizerOptions options = options_of_lion();
      CHECK(options.beta1 == 0.9);
      CHECK(options.beta2 == 0.99);
      options.weight_decay = 0.1;
      const auto optimizer = make_optimizer(store, options);
      REQUIRE(optimizer->state().size() == 1);
      LionByHand expected{store.values().values<double>(), {}, store.matrix_elements()};
      expected.moment.resize(expected.values.size());
      CHECK(expected.decayed >= 300);
      CHECK(expected.decayed < std::ssize(expected.values));
      for (int t = 1; t <= 12; ++t) {
        // Now and then against the moment, by little or by much; of some elements never anything.
        const double size = t % 4 == 0 ? -0.02 : t % 7 == 0 ? -1.5 : 0.5;
        std::vector<double> gradient(expected.values.size());
        for (std::size_t i = 0; i < gradient.size(); ++i) {
          gradient[i] = size * static_cast<double>(i % 9) * (i % 2 == 0 ? 1 : -1);
        }
        const double lr = 0.01 * t, scale = t % 2 == 0 ? 1 : 0.5;
        store.gradients().copy_from(
            Tensor::from(gradient).to(store.gradients().dtype()).to(device));
        expected.step(gradient, scale, lr, options);
        const Tensor squares = Tensor::full({1}, 16.0, DType::f64).to(device);  // a norm of 4
        optimizer->step(lr, squares, t % 2 == 0 ? 8 : 2);
      }
      CHECK(optimizer->steps() == 12);
      CHECK(expected.against_moment > 100);
      CHECK(expected.against_gradient > 100);
      const double tolerance = dtype == DType::f64 ? 1e-12 : 1e-5;
      const auto values = store.values().values<double>();
      const auto moment = optimizer->state().front().values.values<double>();
      for (std::size_t i = 0; i < values.size(); ++i) {
        CAPTURE(i);
        CHECK(values[i] == doctest::Approx(expected.values[i]).epsilon(tolerance));
        CHECK(moment[i] == doctest::Approx(expected.moment[i]).epsilon(tolerance));
      }
      if (dtype != DType::bf16) continue;
      const auto rounded = store.rounded().values<double>();
      CHECK(rounded == store.values().to(DType::bf16).values<double>());
    }
  }
}

TEST_CASE("Lion: a gradient that is no number is not taken for 0") {
  for (const Device device : test_devices()) {
    ParamStore store;
    Scope(store).parameter("vector", {3}, Init::constant(1));
    store.materialize(1, DType::f32, device);
    std::vector<float> gradient(static_cast<std::size_t>(store.gradients().elements()), 0);
    gradient[1] = std::numeric_limits<float>::quiet_NaN();
    gradient[2] = std::numeric_limits<float>::infinity();
    store.gradients().copy_from(Tensor::from(gradient).to(device));
    make_optimizer(store, options_of_lion())->step(0.5);
    const auto values = store.values().values<float>();
    CHECK(values[0] == 1);
    CHECK(std::isnan(values[1]));
    CHECK(values[2] == 0.5F);
  }
}

TEST_CASE("CUDA emulator: a step of each optimiser has the same bits in 20 orders of threads") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  for (const std::string& name : all_names<OptimizerKind>()) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      CAPTURE(name);
      CAPTURE(std::string(name_of(dtype)));
      const auto values = [&] {
        ParamStore store;
        Scope(store).parameter("matrix", {50, 37}, Init::normal(1));
        store.materialize(1, dtype, {DeviceKind::cuda, 0});
        OptimizerOptions options = OptimizerOptions::of(enum_named<OptimizerKind>(name));
        options.weight_decay = 0.1;
        const auto optimizer = make_optimizer(store, options);
        const Tensor gradient = random(store.gradients().shape(), 7);
        store.gradients().copy_from(gradient.to(DType::f32).to(store.gradients().device()));
        const Tensor squares = Tensor::full({1}, sum_of_squares(gradient), DType::f64);
        for (int step = 0; step < 3; ++step) {
          optimizer->step(1e-2, squares.to(store.gradients().device()), 2);
        }
        return store.values().values<float>();
      };
      std::vector<float> expected;
      for_orders(*emulator, kOrders, [&](std::uint64_t seed) {
        if (seed == 1) expected = values();
        CHECK(values() == expected);
      });
    }
  }
}

TEST_CASE("optimisers: another one brings its own settings, rate and decay") {
  OptimizerOptions options{.beta2 = 0.95, .epsilon = 1e-8, .weight_decay = 0.1};
  double lr = 3e-3;
  change_optimizer(OptimizerKind::adam, options, lr);  // which it is
  CHECK(options.beta2 == 0.95);
  CHECK(lr == 3e-3);
  for (int times = 0; times < 2; ++times) {
    change_optimizer(OptimizerKind::lion, options, lr);
    CHECK(options.kind == OptimizerKind::lion);
    CHECK(options.beta2 == 0.99);
    CHECK(options.weight_decay == doctest::Approx(1));
    CHECK(lr == doctest::Approx(3e-4).scale(0));
  }
  change_optimizer(OptimizerKind::adam, options, lr);
  CHECK(options.beta2 == 0.98);
  CHECK(options.weight_decay == doctest::Approx(0.1));
  CHECK(lr == doctest::Approx(3e-3));
}

TEST_CASE("optimisers: each learns, and 20 steps equal 10, a resume, and 10 more, bit for bit") {
  for (const DType precision : {DType::f32, DType::bf16}) {
    for (const std::string& name : all_names<OptimizerKind>()) {
      CAPTURE(name);
      CAPTURE(std::string(name_of(precision)));
      const ScratchFolder folder;
      TranslationTrainOptions whole = toy_options(folder, "whole");
      whole.precision = precision;
      whole.optimizer.weight_decay = 0.1;
      change_optimizer(enum_named<OptimizerKind>(name), whole.optimizer, whole.schedule.lr);
      whole.schedule.warmup = 4;
      whole.clip_norm = 1;
      whole.ema = 0.9;
      whole.steps = 20;
      train(whole);
      const std::vector<double> losses = logged(whole.out, "loss");
      CHECK(losses.back() < losses.front() - 0.1);
      const TranslationTrainOptions halves = train_in_halves(whole);
      const auto state = [](const std::filesystem::path& out) {
        const SafetensorsFile file = SafetensorsFile::open(out / kTrainingState);
        std::vector<std::vector<float>> tensors;
        for (const std::string& tensor : file.names()) {
          tensors.push_back(file.tensor(tensor).values<float>());
        }
        return tensors;
      };
      CHECK(state(whole.out) == state(halves.out));
    }
  }
}

TEST_CASE(
    "optimisers: what a run leaves, and what a resume expects, by the names of its optimiser") {
  const ScratchFolder folder;
  const auto options_of = [&](OptimizerKind kind) {
    TranslationTrainOptions options = toy_options(folder, enum_name(kind));
    change_optimizer(kind, options.optimizer, options.schedule.lr);
    options.steps = 2;
    return options;
  };
  const auto names_in = [&](OptimizerKind kind) {
    std::vector<std::string> names =
        SafetensorsFile::open(folder / enum_name(kind) / kTrainingState).names();
    std::sort(names.begin(), names.end());
    return names;
  };
  const auto settings_in = [&](OptimizerKind kind) {
    const auto state = peek_training_state(folder / enum_name(kind) / kTrainingState);
    return JsonView::parse(state->fingerprint.to_json()).at("settings");
  };
  const auto resumed_with = [&](OptimizerKind before, OptimizerKind now) {
    TranslationTrainOptions options = options_of(now);
    options.out = folder / enum_name(before);
    options.resume = true;
    options.steps = 3;
    try {
      train(options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using enum OptimizerKind;
  train(options_of(adam));
  train(options_of(lion));
  // As runs of versions that knew no other.
  CHECK(names_in(adam) == std::vector<std::string>{"first_moment", "parameters", "second_moment"});
  CHECK_FALSE(settings_in(adam).contains("optimizer"));
  CHECK(settings_in(adam).at("epsilon") == "1e-09");
  CHECK(names_in(lion) == std::vector<std::string>{"moment", "parameters"});
  CHECK(settings_in(lion).at("optimizer") == "lion");
  CHECK(settings_in(lion).at("beta2") == "0.99");
  CHECK_FALSE(settings_in(lion).contains("epsilon"));
  const std::string to_lion = resumed_with(adam, lion), to_adam = resumed_with(lion, adam);
  CAPTURE(to_lion);
  CAPTURE(to_adam);
  CHECK(contains(to_lion, "expected optimizer = adam, as in the run that is resumed, given lion"));
  CHECK(contains(to_adam, "expected optimizer = lion, as in the run that is resumed, given adam"));
  CHECK(resumed_with(lion, lion) == "");
  const std::string log = read_file(folder / "lion" / "log.jsonl");
  const JsonView logged_first = JsonView::parse(log.substr(0, log.find('\n'))).at("optimizer");
  CHECK(logged_first.at("kind") == "lion");
  CHECK(logged_first.at("beta2") == 0.99);
  CHECK_FALSE(logged_first.contains("epsilon"));
}

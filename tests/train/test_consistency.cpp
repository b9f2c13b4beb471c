// Consistency training and the moving average of the parameters.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops/ids.h"
#include "inspect/activations.h"
#include "models/average.h"
#include "models/transformer.h"
#include "tests/data/tiny_text.h"
#include "tests/decode/decode_models.h"
#include "tests/devices.h"
#include "tests/gap.h"
#include "tests/train/toy_training.h"
#include "train/adam.h"
#include "train/moving_average.h"

using namespace kette;
using namespace kette::testing;

namespace {

TransformerConfig small_config(double dropout) {
  TransformerConfig config;
  config.encoder_layers = config.decoder_layers = 1;
  config.width = 16;
  config.hidden = 24;
  config.heads = 2;
  config.vocabulary = 20;
  config.dropout = dropout;
  return config;
}

Batch small_batch() {
  TokenLists source, target;
  Random random(5);
  for (int i = 0; i < 12; ++i) {
    std::vector<std::int32_t> ids;
    for (int j = 0; j < 3 + i % 4; ++j)
      ids.push_back(static_cast<std::int32_t>(4 + random.below(16)));
    source.add(ids);
    target.add(ids);
  }
  const std::vector<std::int64_t> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  return make_batch(PairLists(source, target), all, SpecialTokens{});
}

struct Step {
  StepResult result;
  std::vector<double> gradients;
};

Step step_of(double dropout, const ConsistencyOptions& consistency, Device device = {}) {
  Transformer model(small_config(dropout));
  model.materialize(1, DType::f64, device);
  Adam adam(model.parameters(), {});
  const Batch batch = small_batch();
  const StepResult result = train_step(model, adam, {&batch, 1}, {.consistency = consistency});
  return {result, model.parameters().gradients().values<double>()};
}

double largest_gap(const std::vector<double>& a, const std::vector<double>& b, double factor) {
  double gap = 0;
  for (std::size_t i = 0; i < a.size(); ++i) gap = larger_gap(gap, std::abs(a[i] - factor * b[i]));
  return gap;
}

}  // namespace

TEST_CASE("consistency: a batch twice, with holes in the second reading alone") {
  const Batch batch = small_batch();
  Random random(1);
  const Batch both = in_two_views(
      batch, {.kind = ConsistencyKind::simcut, .cutoff = 0.25, .source_tags = 1}, random);
  CHECK(both.target_segments.count() == 2 * batch.target_segments.count());
  CHECK(both.target_segments.rows() == 2 * batch.target_segments.rows());
  CHECK(both.source_segments.rows() == 2 * batch.source_segments.rows());
  const auto check_half = [](const auto& ids, const auto& half, double holes) {
    CHECK(std::equal(half.begin(), half.end(), ids.begin()));
    double found = 0;
    for (std::size_t i = 0; i < half.size(); ++i) {
      const std::int32_t again = ids[half.size() + i];
      CHECK((again == half[i] || (again == kNoEntry && half[i] >= 4)));  // no hole in a mark
      found += again == kNoEntry;
    }
    CHECK(std::abs(found / static_cast<double>(half.size()) - holes) <= holes / 2);
  };
  check_half(both.source, batch.source, 0.25);
  check_half(both.target_in, batch.target_in, 0.25);
  check_half(both.target_out, batch.target_out, 0);
  // A language's tag stays.
  for (std::int64_t i = batch.source_segments.count(); i < both.source_segments.count(); ++i) {
    CHECK(both.source[both.source_segments.begin(i)] != kNoEntry);
  }
}

TEST_CASE("consistency: a parser counts what stands in holes, too") {
  TransformerConfig config = small_config(0);
  config.count_tags = true;
  config.first_tag = 4;
  Transformer model(config);
  model.materialize(1, DType::f64, {});
  const Batch batch = small_batch();
  Batch holes = batch;
  const std::int64_t hole = holes.target_segments.begin(2) + 1;
  holes.target_in[hole] = kNoEntry;
  REQUIRE(model.second_positions().advance(batch.target_in[hole]) == 1);
  const std::string point = level_point(model, Side::target, 0);
  const auto rows_of = [&](const Batch& read) {
    Activations activations([&](const std::string& path) { return path == point; });
    Run run(1, 1, &activations);  // training, without which there are no holes
    model.loss(read, {}, run);
    return activations[point];
  };
  const Tensor seen = rows_of(batch), unseen = rows_of(holes);
  for (std::int64_t row = 0; row < seen.rows(); ++row) {
    CAPTURE(row);
    CHECK((seen.slice(row, row + 1).values<double>() ==
           unseen.slice(row, row + 1).values<double>()) == (row != hole));
  }
}

TEST_CASE("consistency: readings that agree add nothing, and R-Drop counts both") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const Step plain = step_of(0, {}, device);
    const Step dropped = step_of(0, {.kind = ConsistencyKind::r_drop, .weight = 7}, device);
    const Step cut =
        step_of(0, {.kind = ConsistencyKind::simcut, .weight = 7, .cutoff = 0}, device);
    CHECK(dropped.result.loss == doctest::Approx(2 * plain.result.loss).epsilon(1e-12));
    CHECK(cut.result.loss == doctest::Approx(plain.result.loss).epsilon(1e-12));
    CHECK(largest_gap(dropped.gradients, plain.gradients, 2) < 1e-12);
    CHECK(largest_gap(cut.gradients, plain.gradients, 1) < 1e-12);
    for (const Step& step : {dropped, cut}) {
      CHECK(step.result.target_tokens == plain.result.target_tokens);
      CHECK(step.result.negative_log_likelihood ==
            doctest::Approx(plain.result.negative_log_likelihood).epsilon(1e-12));
    }
  }
}

TEST_CASE("consistency: readings that differ cost, and the more the more they count") {
  for (const ConsistencyKind kind : {ConsistencyKind::r_drop, ConsistencyKind::simcut}) {
    CAPTURE(enum_name(kind));
    const auto loss = [&](double weight) {
      return step_of(0.3, {.kind = kind, .weight = weight, .cutoff = 0.3}).result.loss;
    };
    const double one = loss(1), two = loss(2), three = loss(3);
    CHECK(two > one + 1e-4);
    CHECK(three - two == doctest::Approx(two - one).epsilon(1e-9));
  }
  const TwoViews r_drop = *ConsistencyOptions{.kind = ConsistencyKind::r_drop}.views();
  CHECK(r_drop.forward == 2.5);
  CHECK(r_drop.reverse == 2.5);
  const TwoViews simcut = *ConsistencyOptions{.kind = ConsistencyKind::simcut}.views();
  CHECK(simcut.forward == 3);
  CHECK(simcut.second == 0);
}

TEST_CASE_FIXTURE(OneThread, "consistency and a moving average: 12 steps equal 6, resume, 6 more") {
  for (const ConsistencyKind kind : {ConsistencyKind::r_drop, ConsistencyKind::simcut}) {
    const ScratchFolder folder;
    TranslationTrainOptions whole = toy_options(folder, "whole");
    whole.consistency = {.kind = kind, .cutoff = 0.1};
    whole.ema = 0.9;
    whole.steps = 12;
    whole.validate_every = 4;
    train(whole);
    TranslationTrainOptions halves = train_in_halves(whole);
    CHECK(parameters_in(whole.out) == parameters_in(halves.out));
    const auto state = SafetensorsFile::open(whole.out / "training.safetensors");
    const auto again = SafetensorsFile::open(halves.out / "training.safetensors");
    CHECK(state.tensor("moving_average").values<float>() ==
          again.tensor("moving_average").values<float>());

    // The model that is kept is the average, not what goes on being trained.
    const auto kept = SafetensorsFile::open(list_checkpoints(whole.out).back())
                          .tensor("shared_embedding/weight")
                          .values<float>();
    const std::vector<float> average = state.tensor("moving_average").values<float>();
    const std::vector<float> trained = parameters_in(whole.out);
    const auto holds = [&](const std::vector<float>& all) {
      return std::search(all.begin(), all.end(), kept.begin(), kept.end()) != all.end();
    };
    CHECK(holds(average));
    CHECK_FALSE(holds(trained));

    halves.ema = 0.99;
    CHECK(contains(message_of([&] { train(halves); }), "expected ema = 0.9"));
  }
}

TEST_CASE("moving average: soon forgets its first steps, then forgets slowly; shown and put back") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    ParamStore store;
    store.parameter("a", {3}, Init::constant(1));
    store.materialize(1, DType::bf16, device);
    MovingAverage average(store, 0.5, Shards(store.values().elements()), Communicator::none());
    const auto first = [](const Tensor& values) { return values.values<double>()[0]; };
    store.values().copy_from(Tensor::full(store.values().shape(), 12.0, DType::f32, device));
    average.update(1);  // decay 2 / 11
    CHECK(first(average.values()) == doctest::Approx(1 + 9.0 / 11 * 11));
    store.values().copy_from(Tensor::full(store.values().shape(), 20.0, DType::f32, device));
    store.round();
    average.update(1000);  // decay 0.5
    CHECK(first(average.values()) == doctest::Approx(15));
    {
      const MovingAverage::Shown shown(average);
      CHECK(first(store.values()) == doctest::Approx(15));
      CHECK(first(store.rounded()) == doctest::Approx(15));
    }
    CHECK(first(store.values()) == 20);
    CHECK(first(store.rounded()) == 20);
    CHECK(first(average.values()) == doctest::Approx(15));
  }
}

TEST_CASE("consistency: two readings that cannot differ are refused") {
  ConsistencyOptions options{.kind = ConsistencyKind::r_drop};
  options.check(0.1);
  CHECK_THROWS_WITH_AS(options.check(0),
                       doctest::Contains("expected a dropout above 0 beside r_drop"), Error);
  options.kind = ConsistencyKind::simcut;
  options.check(0);
  options.cutoff = 0;
  options.check(0.1);
  CHECK_THROWS_AS(options.check(0), Error);
  ConsistencyOptions().check(0);
}

TEST_CASE("consistency: a weight without a kind is refused") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "run");
  options.steps = 1;
  options.consistency.weight = 3;
  CHECK(contains(message_of([&] { train(options); }),
                 "consistency_weight: expected a kind of consistency training beside it"));
}

// Gates that learn to shut, and what is left of a model without heads.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "autograd/gradient_check.h"
#include "data/metrics/score_statistics.h"
#include "inspect/heads/head_pruning.h"
#include "inspect/lab/gated_training.h"
#include "inspect/lab/pruning_study.h"
#include "tests/devices.h"
#include "tests/gradients.h"
#include "tests/inspect/inspected_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// Counts what is masked: the sum over heads of 1 + the head's place in the model.
class CountedMask final : public HeadAblation {
 public:
  explicit CountedMask(std::vector<AttentionPart> attentions)
      : attentions_(std::move(attentions)) {}
  std::string name() const override { return "masked"; }
  double whole() const override { return 0; }
  bool higher_is_better() const override { return false; }
  std::int64_t segments() const override { return 0; }
  std::string segment_name() const override { return "none"; }
  MaskedResult with(Tap& tap) const override {
    double sum = 0, place = 1;
    for (const AttentionPart& part : attentions_) {
      const std::string point = part.path + "/heads";
      std::vector<float> out(static_cast<std::size_t>(part.heads), 1);
      if (tap.wants(point)) {
        out =
            tap.at(point, Tensor::full({1, part.heads}, 1, DType::f32, {})).value().values<float>();
      }
      for (const float value : out) {
        if (value == 0) sum += place;
        place += 1;
      }
    }
    return {sum, 1};
  }

 private:
  std::vector<AttentionPart> attentions_;
};

}  // namespace

TEST_CASE("lab heads: gradients of the gate and of the penalty") {
  const std::vector<double> noise = {-1.2, 0.3, 0.8, -0.4, 2.5};
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const Tensor u = Tensor::from(noise, device);
    GradientCheckOptions options;
    options.device = device;
    const auto gate =
        check_gradients([&](const std::vector<Variable>& in) { return concrete_gate(in[0], u); },
                        {{{5}, -1, 1}}, options);
    expect_right(gate);
    const auto penalty =
        check_gradients([&](const std::vector<Variable>& in) { return expected_open(in[0]); },
                        {{{5}, -3, 3}}, options);
    expect_right(penalty);
  }
}

TEST_CASE("lab heads: a gate is shut as often as the penalty says") {
  Random random(7);
  for (const double a : {-2.0, 0.0, 1.5}) {
    constexpr int kDraws = 20000;
    std::vector<double> noise;
    for (int i = 0; i < kDraws; ++i) {
      const double u = 1e-9 + (1 - 2e-9) * random.uniform();
      noise.push_back(std::log(u) - std::log(1 - u));
    }
    const Variable same = Tensor::full({kDraws}, a, DType::f64, {});
    const auto gates = concrete_gate(same, Tensor::from(noise)).value().values<double>();
    double open = 0;
    for (const double gate : gates) {
      REQUIRE(gate >= 0);
      REQUIRE(gate <= 1);
      open += gate > 0;
    }
    const Variable one = Tensor::full({1}, a, DType::f64, {});
    CHECK(open / kDraws == doctest::Approx(expected_open(one).value().item()).epsilon(0.03));
  }
  CHECK(concrete_gate(5.0) == 1);
  CHECK(concrete_gate(-5.0) == 0);
  CHECK(concrete_gate(0.0) == doctest::Approx(0.5));
}

TEST_CASE("lab heads: a curve masks the first heads of an order, more and more") {
  const auto models = inspected_models();
  const auto attentions = attentions_of(*models[0]);
  std::vector<Head> heads = heads_of(attentions);
  const CountedMask ablation(attentions);
  std::vector<HeadImportance> importance(heads.size());
  for (std::size_t i = 0; i < heads.size(); ++i) {
    importance[i].mean = -static_cast<double>(i / 2);
  }
  const std::vector<Head> order = by_importance(attentions, importance);
  const auto place = [&](const Head& head) {
    const auto same = [&](const Head& other) {
      return other.attention == head.attention && other.head == head.head;
    };
    return std::find_if(heads.begin(), heads.end(), same) - heads.begin();
  };
  REQUIRE(order.size() == heads.size());
  const PruningCurve curve = pruning_curve(ablation, attentions, order);
  REQUIRE(curve.bleu.size() == PruningCurve::kShares.size());
  for (std::size_t k = 0; k < curve.bleu.size(); ++k) {
    const auto masked = std::llround(PruningCurve::kShares[k] * static_cast<double>(order.size()));
    double sum = 0;
    for (std::int64_t i = 0; i < masked; ++i) {
      sum += static_cast<double>(place(order[i])) + 1;
      // The least important first; of equals the first.
      const auto last = std::ssize(heads) - 1;
      CHECK(place(order[i]) == last - i + (i % 2 == 0 ? -1 : 1));
    }
    CHECK(curve.bleu[k] == sum);
    CHECK(curve.loss_at(PruningCurve::kShares[k]) == -sum);
  }
}

TEST_CASE("lab heads: the fewest heads for at most half a point") {
  PruningStudy study;
  study.whole = 30;
  const auto result = [](double bleu, std::int64_t left) {
    return GatedResult{0, bleu, {}, {left, 0, 0}};
  };
  CHECK(study.cheapest({result(29.6, 9), result(29.5, 7), result(29.4, 2)})->left() == 7);
  CHECK_FALSE(study.cheapest({result(29.4, 2)}));
  PruningCurve a, b;
  a.bleu.assign(PruningCurve::kShares.size(), 10);
  b.bleu.assign(PruningCurve::kShares.size(), 20);
  study.at_random = {a, b};
  CHECK(study.mean_at_random().bleu[3] == doctest::Approx(15));
}

TEST_CASE("lab heads: a penalty shuts gates, none leaves them open, and the model learns on") {
  const OneThread one;
  Transformer model(small_config(NormOrder::pre));
  model.materialize(5);
  TokenLists source, target;
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    std::vector<std::int32_t> ids;
    for (int k = 0; k < 5; ++k) ids.push_back(static_cast<std::int32_t>(4 + random.below(8)));
    source.add(ids);
    target.add(ids);
  }
  const ParallelCorpus text =
      ParallelCorpus::of(std::make_shared<PairLists>(std::move(source), std::move(target)));
  const auto open = [&](double penalty) {
    const auto copy = trainable_copy(model);
    CHECK(copy->parameters().values().values<float>() ==
          model.parameters().values().values<float>());
    GatedTraining training{.penalty = penalty, .steps = 60, .batch_tokens = 64, .gate_lr = 0.2};
    const ConcreteGates gates =
        train_gated(*copy, attentions_of(*copy), text, training, 1, [](double) {});
    CHECK(copy->parameters().values().values<float>() !=
          model.parameters().values().values<float>());
    double sum = 0;
    for (const auto& of_attention : gates.values()) {
      for (const double value : of_attention) sum += value;
    }
    return sum;
  };
  CHECK(open(10) == 0);
  CHECK(open(0) > 2);
}

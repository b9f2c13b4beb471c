// Looking inside a pass, and changing what goes on there.
#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <set>

#include "autograd/ops/elementwise.h"
#include "autograd/tape.h"
#include "decode/decoder_state.h"
#include "models/gpt.h"
#include "models/points.h"
#include "models/transformer.h"
#include "tests/decode/decode_models.h"
#include "tests/gap.h"

using namespace kette;
using namespace kette::testing;

namespace {

using Change = std::function<Variable(const std::string& point, const Variable& value)>;

/// Shows all points, or some, to a function.
class TestTap final : public Tap {
 public:
  explicit TestTap(Change change, std::string only = "")
      : change_(std::move(change)), only_(std::move(only)) {}
  bool wants(const std::string& point) const override { return only_.empty() || point == only_; }
  Variable at(const std::string& point, const Variable& value) override {
    seen.insert(point);
    return change_(point, value);
  }

  std::set<std::string> seen;

 private:
  Change change_;
  std::string only_;
};

const Change kLook = [](const std::string&, const Variable& value) { return value; };

const std::vector<std::int32_t> kSource = {4, 5, 6, 3, 7, 3}, kTarget = {2, 8, 9, 2, 10, 4, 5},
                                kNext = {8, 9, 3, 10, 4, 5, 3};
const Segments kSources = Segments::from_lengths({4, 2}), kTargets = Segments::from_lengths({3, 4});

Batch batch() {
  Batch batch;
  batch.source = kSource;
  batch.source_segments = kSources;
  batch.target_in = kTarget;
  batch.target_out = kNext;
  batch.target_segments = kTargets;
  return batch;
}

std::vector<std::unique_ptr<AutoregressiveModel>> models(DType dtype = DType::f32) {
  std::vector<std::unique_ptr<AutoregressiveModel>> all;
  TransformerConfig quick = small_transformer(NormOrder::pre);
  quick.activation_dropout = 0;  // the feed-forward layer as one op
  all.push_back(std::make_unique<Transformer>(small_transformer(NormOrder::post)));
  all.push_back(std::make_unique<Transformer>(quick));
  for (const auto& [label, config] : small_gpts()) all.push_back(std::make_unique<Gpt>(config));
  for (const auto& model : all) {
    model->materialize(1, dtype);
    if (dtype == DType::f32) vary_vectors<float>(model->parameters(), 2);
  }
  return all;
}

/// The loss of a step and all gradients.
std::vector<float> trained(AutoregressiveModel& model, Tap* tap) {
  model.parameters().clear_gradients();
  Run run(7, 1, tap);
  Tape tape;
  const Variable loss = model.loss(batch(), {0.1, 0.25}, run);
  tape.backward(loss);
  std::vector<float> values = model.parameters().gradients().values<float>();
  values.push_back(static_cast<float>(loss.value().item()));
  return values;
}

std::vector<RowStart> starts(const AutoregressiveModel& model) {
  static const Ids source = {4, 5, 6, 3}, past = {8, 9};
  const std::span<const std::int32_t> none;
  return {{model.has_encoder() ? std::span(source) : none, past},
          {model.has_encoder() ? std::span(source) : none, std::span(past).first(1)}};
}

/// The states after two steps of two rows.
std::vector<float> decoded(const AutoregressiveModel& ready, Tap* tap) {
  DecoderState state(ready, tap);
  state.add(starts(ready));
  state.step({10, 11});
  return state.step({12, 4}).values<float>();
}

/// What inference gives: states of the whole batch.
std::vector<float> inferred(const AutoregressiveModel& model, Tap* tap) {
  Run run(tap);
  PackedSequences sequences(kTargets);
  if (model.has_encoder()) {
    const Variable memory = model.encode(Tensor::from(kSource), PackedSequences(kSources), run);
    sequences = PackedSequences(kTargets, memory, kSources);
  }
  const Variable states = model.decode(Tensor::from(kTarget), sequences, run);
  return model.logits(states, run).value().values<float>();
}

void check_near(const std::vector<float>& given, const std::vector<float>& expected,
                double tolerance = 2e-5) {
  CHECK(largest_gap(given, expected) < tolerance);
}

/// Decoding with linear attention has no keys of the past to spell probabilities out of.
bool keeps_keys(const AutoregressiveModel& model) {
  return !model.decoder().front().self_attention.pattern.is_linear();
}

}  // namespace

TEST_CASE("taps: reading everything changes no bit, in training, scoring and decoding") {
  const OneThread one;
  for (const auto& model : models()) {
    CAPTURE(headline(model->config()));
    TestTap look(kLook);
    CHECK(trained(*model, &look) == trained(*model, nullptr));
    CHECK(inferred(*model, &look) == inferred(*model, nullptr));
    const auto ready = model->for_decoding();
    TestTap look_again(kLook);
    if (!keeps_keys(*model)) {
      CHECK_THROWS_WITH_AS(decoded(*ready, &look_again),
                           doctest::Contains("expected a pass over whole texts"), Error);
      continue;
    }
    CHECK(decoded(*ready, &look_again) == decoded(*ready, nullptr));
    for (const std::string& point : look_again.seen) CHECK(look.seen.contains(point));
  }
}

TEST_CASE("taps: each point may be looked at alone, and has the shape that is listed") {
  const OneThread one;
  for (const auto& model : models()) {
    CAPTURE(headline(model->config()));
    const auto expected = inferred(*model, nullptr);
    const std::vector<Point> points = points_of(*model, 6, 7);
    CHECK(points.size() > 15);
    for (const Point& point : points) {
      CAPTURE(point.name);
      Shape seen;
      TestTap look(
          [&](const std::string&, const Variable& value) {
            seen = value.shape();
            return value;
          },
          point.name);
      REQUIRE(inferred(*model, &look) == expected);
      CHECK(seen.rank() == point.shape.rank());
      CHECK(seen[0] == point.shape[0]);
      CHECK(look.seen.size() == 1);
    }
  }
}

TEST_CASE("taps: a value in the place of an equal one gives equal results") {
  const OneThread one;
  const Change copy = [](const std::string&, const Variable& value) { return affine(value, 1); };
  for (const auto& model : models()) {
    CAPTURE(headline(model->config()));
    TestTap copies(copy);
    check_near(trained(*model, &copies), trained(*model, nullptr));
    check_near(inferred(*model, &copies), inferred(*model, nullptr));
    const auto ready = model->for_decoding();
    if (keeps_keys(*model)) check_near(decoded(*ready, &copies), decoded(*ready, nullptr));
  }
}

TEST_CASE("taps: what is put in the place of a value counts, whichever it is") {
  const OneThread one;
  for (const auto& model : models()) {
    CAPTURE(headline(model->config()));
    const auto ready = model->for_decoding();
    const auto expected = inferred(*model, nullptr), of_steps = decoded(*ready, nullptr);
    for (const Point& point : points_of(*model, 6, 7)) {
      CAPTURE(point.name);
      const Change twist = [](const std::string&, const Variable& value) {
        std::vector<float> values = value.value().values<float>();
        for (std::size_t i = 0; i < values.size(); ++i) values[i] += i % 2 == 0 ? 0.5f : -0.25f;
        return Variable(Tensor::from(values, value.shape()));
      };
      TestTap twisted(twist, point.name);
      CHECK(inferred(*model, &twisted) != expected);
      if (point.name == "logits") continue;  // a step ends before
      if (point.name.ends_with("/probabilities") && !keeps_keys(*model)) continue;
      TestTap in_steps(twist, point.name);
      CHECK(decoded(*ready, &in_steps) != of_steps);
    }
  }
}

TEST_CASE("taps: a head put to zero is a head whose columns of the output projection are zero") {
  const OneThread one;
  for (const auto& model : models()) {
    CAPTURE(headline(model->config()));
    std::vector<std::pair<std::string, const Linear*>> outputs;
    const std::vector<Block>& blocks = model->decoder();
    outputs.emplace_back(blocks[1].self_attention.path, &blocks[1].self_attention.output);
    if (const auto& cross = blocks[1].cross_attention)
      outputs.emplace_back(cross->path, &cross->output);
    if (const auto* transformer = dynamic_cast<const Transformer*>(model.get())) {
      const MultiHeadSelfAttention& first = transformer->encoder()[0].self_attention;
      outputs.emplace_back(first.path, &first.output);
    }
    for (const auto& sublayer : outputs) {
      const std::string& path = sublayer.first;
      const Linear* output = sublayer.second;
      CAPTURE(path);
      const Tensor weight = output->weight.value(), kept = weight.clone();
      const std::int64_t width = weight.width(), head = width / 2;  // of two heads the second
      TestTap without(
          [&](const std::string&, const Variable& value) {
            std::vector<float> keep(static_cast<std::size_t>(width), 1);
            std::fill(keep.begin() + head, keep.end(), 0.0f);
            return value * Variable(Tensor::from(keep));
          },
          path + "/heads");
      const auto given = inferred(*model, &without);
      const auto given_in_steps = decoded(*model->for_decoding(), &without);
      for (std::int64_t row = 0; row < weight.rows(); ++row) {
        std::fill_n(weight.data<float>() + row * width + head, width - head, 0.0f);
      }
      check_near(given, inferred(*model, nullptr), 1e-6);
      check_near(given_in_steps, decoded(*model->for_decoding(), nullptr), 1e-6);
      weight.copy_from(kept);
      CHECK(given != inferred(*model, nullptr));
    }
  }
}

TEST_CASE("taps: probabilities are those of the keys that a tap has put there") {
  const OneThread one;
  const std::string attention = "decoder/0/cross_attention";
  const auto model = std::move(models().front());
  REQUIRE(model->has_encoder());
  const auto longer = [&](bool shows) {
    TestTap tap([&](const std::string& point, const Variable& value) {
      if (point == attention + "/key_value") return affine(value, 3);
      if (!shows || point != attention + "/probabilities") return value;
      return affine(value, 1);  // the heads are made of what is put there
    });
    return inferred(*model, &tap);
  };
  check_near(longer(true), longer(false));
}

TEST_CASE("taps: probabilities add up to one over the keys that a query sees") {
  const OneThread one;
  const auto check = [](const std::string& point, const Variable& value) {
    if (!point.ends_with("/probabilities")) return value;
    const Shape& shape = value.shape();
    const std::vector<float> all = value.value().values<float>();
    for (std::int64_t row = 0; row < shape[0] * shape[1]; ++row) {
      double sum = 0;
      for (std::int64_t key = 0; key < shape[2]; ++key) {
        const float p = all[row * shape[2] + key];
        CHECK(p >= 0);
        sum += p;
      }
      CHECK(sum == doctest::Approx(1));
    }
    // Of the packed batch: the first target sees itself alone, and no sequence sees the other's keys.
    if (shape[0] == 7 && (point.find("decoder/0/self") == 0 || point.find("layers/0") == 0)) {
      CHECK(all[0] == doctest::Approx(1));
      CHECK(all[1] == 0);
      CHECK(all[2 * shape[1] * shape[2] + 3] == 0);
    }
    return value;
  };
  for (const auto& model : models()) {
    TestTap tap(check);
    inferred(*model, &tap);
    if (keeps_keys(*model)) decoded(*model->for_decoding(), &tap);
  }
}

TEST_CASE("taps: probabilities in a window, of a cache that has given memory back") {
  const OneThread one;
  GptConfig config = small_windowed_gpt();
  config.context = 32;
  Gpt model(config);
  model.materialize(4);
  const auto ready = model.for_decoding();
  std::vector<float> seen;
  const Change keep = [&](const std::string&, const Variable& value) {
    seen = value.value().values<float>();
    return value;
  };
  TestTap tap(keep, "layers/1/attention/probabilities");
  const std::vector<std::int32_t> past = {4, 5, 6, 7, 8, 9, 10, 11, 12, 4};
  const RowStart start{{}, past};
  const auto last_of = [&](std::int64_t rows) {
    DecoderState state(*ready, &tap);
    state.add(std::vector<RowStart>(static_cast<std::size_t>(rows), start));
    state.select({rows - 1});
    state.step({5});
    return seen;
  };
  const std::vector<float> alone = last_of(1);
  REQUIRE(alone.size() == 11 * static_cast<std::size_t>(config.heads));
  check_near(last_of(30), alone);
}

TEST_CASE("taps: gradients go through what was put in the place of a value") {
  const OneThread one;
  for (const auto& model : models(DType::f64)) {
    CAPTURE(headline(model->config()));
    const auto points = points_of(*model, 6, 7);
    for (const Point& point : points) {
      if (point.name == "logits") continue;  // the loss has none
      CAPTURE(point.name);
      // d loss / d gate of a gate that every element of the value is multiplied by.
      const auto loss_at = [&](const Variable& gate) {
        TestTap gated([&](const std::string&, const Variable& value) { return value * gate; },
                      point.name);
        Run run(&gated);
        return model->loss(batch(), {0.1, 0.25}, run);
      };
      const auto value_at = [&](double gate) {
        const PauseRecording pause;
        return loss_at(Tensor::full({1}, gate, DType::f64)).value().item();
      };
      Tape tape;
      const Variable gate = tape.watch(Tensor::full({1}, 1.1, DType::f64));
      tape.backward(loss_at(gate));
      const double step = 1e-5,
                   expected = (value_at(1.1 + step) - value_at(1.1 - step)) / (2 * step);
      CHECK(tape.gradient(gate).item() == doctest::Approx(expected).epsilon(1e-5));
    }
  }
}

TEST_CASE("taps: a value of another shape is refused, with the point's name") {
  const auto model = std::move(models().front());
  TestTap wrong([](const std::string&, const Variable&) { return Variable(Tensor::zeros({1})); },
                "encoder/embedded");
  CHECK_THROWS_WITH_AS(inferred(*model, &wrong),
                       doctest::Contains("encoder/embedded: expected a value like the f32 [6, 16]"),
                       Error);
}

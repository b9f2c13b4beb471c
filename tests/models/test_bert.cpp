// BERT: gradients of both forms, what it costs, where it can be looked at, and that nothing but a text
// itself decides what is said of it. Its numbers are held against transformers' in
// tests/models/test_hugging_face_bert.cpp.
#include <doctest/doctest.h>

#include "decode/masked_words.h"
#include "models/bert.h"
#include "models/config_json.h"
#include "models/gradient_check.h"
#include "models/points.h"
#include "tests/data/tiny_text.h"
#include "tests/decode/decode_models.h"
#include "tests/gradients.h"
#include "tests/support.h"

using namespace kette;
using namespace kette::testing;

namespace {

std::unique_ptr<Bert> random_bert(const BertConfig& config) {
  auto model = std::make_unique<Bert>(config);
  model->materialize(3);
  return model;
}

}  // namespace

TEST_CASE("BERT: the gradient of every parameter is right") {
  const OneThread quick;
  for (const auto& small : bert_family().small_models) {
    CAPTURE(small.first);
    testing::expect_right(check_model(*small.second, {.elements = 4}));
  }
}

TEST_CASE("BERT: parameters as its summary counts them, settings kept, points of a pass") {
  for (const auto& [label, config] : bert_family().small_models) {
    const auto model = config->make_model();
    CHECK(count_parameters(*config) == model->parameters().elements());
    const std::string json = to_json(*config);
    CHECK(to_json(*model_config_from_json(json, "here")) == json);
  }
  // Devlin et al. 2019, section 3: 110 and 340 million, with the pooler, which is not for masked words.
  CHECK(count_parameters(BertConfig::preset("bert-base")) == 109'514'298);
  CHECK(count_parameters(BertConfig::preset("bert-large")) == 335'174'458);
  Bert model(small_bert());
  model.allocate(DType::f32, {}, Gradients::none);
  std::vector<std::string> names;
  for (const Point& point : points_of(model, 5, 2)) names.push_back(point.name);
  CHECK(names.front() == "embedding_norm/sum");
  CHECK(names.back() == "logits");
  for (const char* name : {"embedded", "layers/1/self_attention/probabilities", "head/norm"}) {
    CHECK(std::count(names.begin(), names.end(), name) == 1);
  }
}

TEST_CASE("BERT: settings that make no sense are errors that name them") {
  const auto message = [](void (*change)(BertConfig&)) {
    BertConfig config = small_bert();
    change(config);
    return message_of([&] { config.check(); });
  };
  CHECK(contains(message([](BertConfig& c) { c.positions = Positions::alibi; }),
                 "positions: expected learned or rotary"));
  CHECK(contains(message([](BertConfig& c) { c.context = 2; }), "context: expected at least 3"));
  CHECK(contains(message([](BertConfig& c) { c.segments = -1; }), "segments: expected at least 0"));
  CHECK(contains(message([](BertConfig& c) { c.norm_epsilon = 0; }), "norm_epsilon"));
  CHECK(contains(message([](BertConfig& c) { c.layers = 0; }), "layers"));
  CHECK(contains(message_of([] { BertConfig::preset("bert-huge"); }), "bert-tiny"));
  const auto model = random_bert(small_bert());
  Batch batch = small_bert().example_batch(1);
  batch.target_in[0] = 5;
  Run run;
  CHECK(contains(message_of([&] { model->logits(batch, run); }),
                 "expected a place in a text of 5 tokens, given 5"));
}

TEST_CASE("BERT: every token is heard everywhere, and segments are told apart") {
  for (const BertConfig& config : {small_bert(), small_modern_bert()}) {
    const auto model = random_bert(config);
    const auto says = [&](const Ids& ids, const Ids& types) {
      Batch batch;
      batch.source = ids;
      batch.source_types = types;
      batch.source_segments = Segments::from_lengths({std::ssize(ids)});
      batch.target_in = {1};
      batch.target_segments = Segments::from_lengths({1});
      Run run;
      return model->logits(batch, run).value().values<float>();
    };
    const auto first = says({2, 5, 7, 9, 3}, {});
    CHECK(says({2, 5, 7, 9, 4}, {}) != first);
    CHECK(says({1, 5, 7, 9, 3}, {}) != first);
    CHECK(says({2, 5, 9, 7, 3}, {}) != first);  // by their positions
    CHECK(says({2, 5, 7, 9, 3}, {0, 0, 0, 0, 0}) == first);
    CHECK((says({2, 5, 7, 9, 3}, {0, 0, 0, 1, 1}) != first) == (config.segments > 0));
  }
}

TEST_CASE("BERT: the loss is that of the masked rows alone, split in any way") {
  const auto model = random_bert(small_bert());
  const Batch batch = small_bert().example_batch(7);
  Run run;
  const Tensor logits = model->logits(batch, run).value();
  CHECK(logits.rows() == 4);
  double expected = 0;
  for (std::int64_t row = 0; row < logits.rows(); ++row) {
    const auto values = logits.slice(row, row + 1).values<float>();
    double sum = 0;
    for (const float value : values) sum += std::exp(double(value));
    expected += std::log(sum) - double(values[batch.target_out[row]]);
  }
  CHECK(model->loss(batch, {}, run).value().item() == doctest::Approx(expected).epsilon(1e-5));
  double parts = 0;
  const std::vector<Batch> halves = split(batch, 5);
  CHECK(halves.size() == 2);
  for (const Batch& half : halves) parts += model->loss(half, {}, run).value().item();
  CHECK(parts == doctest::Approx(expected).epsilon(1e-5));
}

TEST_CASE("BERT: fillers are the likeliest tokens, and depend on their text alone") {
  const auto model = random_bert(small_bert());
  const auto ready = model->for_decoding();
  const std::int32_t mask = 4;
  const Ids text = {2, mask, 9, mask, 3};
  const auto fillers = fill_masks(*ready, text, mask, 23);
  REQUIRE(fillers.size() == 2);
  Batch batch;
  batch.source = text;
  batch.source_segments = Segments::from_lengths({5});
  batch.target_in = {1, 3};
  batch.target_segments = Segments::from_lengths({2});
  Run run;
  const auto logits = model->logits(batch, run).value().values<float>();
  for (std::size_t i = 0; i < 2; ++i) {
    const auto row = logits.begin() + static_cast<std::ptrdiff_t>(23 * i);
    CHECK(fillers[i].front().token == std::max_element(row, row + 23) - row);
    double sum = 0;
    for (const Filler& filler : fillers[i]) sum += filler.probability;
    CHECK(sum == doctest::Approx(1).epsilon(1e-5));
  }
  const std::int32_t best = fillers[0].front().token;
  const auto others = fill_masks(*ready, text, mask, 3, {best});
  CHECK(others[0].front().token == fillers[0][1].token);
  CHECK(fill_masks(*ready, {2, 9, 3}, mask, 3).empty());
  CHECK(contains(message_of([&] { fill_masks(*model, text, mask, 3); }), "made ready"));
}

// The guide's "model of your own": a classifier on a BERT, a family that Kette does not have. What
// stands here is what the guide shows (tests/test_docs.cpp holds them against each other); all that
// serves every family serves it.
#include <doctest/doctest.h>

#include "models/config_json.h"
#include "models/gradient_check.h"
#include "models/lora.h"
#include "models/model_directory.h"
#include "models/points.h"
#include "tensor/random.h"
#include "tests/data/tiny_text.h"
#include "tests/decode/decode_models.h"
#include "tests/gradients.h"
#include "tests/models/classifier.h"
#include "tests/support.h"
#include "train/adam.h"
#include "train/train_step.h"

using namespace kette;
using namespace kette::testing;

namespace {

ClassifierConfig tiny_classifier() {
  ClassifierConfig config;
  config.layers = 1;
  config.width = 32;
  config.hidden = 64;
  config.heads = 4;
  config.vocabulary = 20;
  config.context = 12;
  config.norm = NormOrder::pre;
  config.dropout = config.attention_dropout = 0;
  return config;
}

/// Texts of 3 to 10 random tokens after a first one that says nothing; the class: whether 7 is among
/// them.
Batch random_texts(Random& random, std::int64_t count) {
  Batch batch;
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto length = static_cast<std::int64_t>(random.uniform(3, 11));
    bool has_seven = false;
    batch.source.push_back(1);
    for (std::int64_t j = 0; j < length; ++j) {
      const auto token = static_cast<std::int32_t>(random.uniform(2, 20));
      has_seven = has_seven || token == 7;
      batch.source.push_back(token);
    }
    if (i % 2 == 0 && !has_seven) batch.source.back() = 7;
    lengths.push_back(length + 1);
    batch.sentence_ids.push_back(i);
    batch.target_out.push_back(has_seven || i % 2 == 0 ? 1 : 0);
  }
  batch.source_segments = Segments::from_lengths(lengths);
  batch.target_in.resize(batch.target_out.size());
  batch.target_segments = Segments::from_lengths(std::vector<std::int64_t>(lengths.size(), 1));
  return batch;
}

double accuracy(const Classifier& model, const Batch& batch) {
  Run inference;
  const std::vector<float> logits = model.logits(batch, inference).value().values<float>();
  double right = 0;
  for (std::size_t i = 0; i < batch.target_out.size(); ++i) {
    right += (logits[2 * i + 1] > logits[2 * i]) == (batch.target_out[i] == 1);
  }
  return right / static_cast<double>(batch.target_out.size());
}

}  // namespace

TEST_CASE("a family of one's own: gradients, summary, points and configuration") {
  const OneThread quick;
  const auto& [label, config] = classifier_family().small_models.front();
  testing::expect_right(check_model(*config, {.elements = 6}));
  const auto model = config->make_model();
  CHECK(count_parameters(*config) == model->parameters().elements());
  model->allocate(DType::f32, {}, Gradients::none);
  std::vector<std::string> names;
  for (const Point& point : points_of(*model, 5, 1)) names.push_back(point.name);
  CHECK(std::count(names.begin(), names.end(), "embedded") == 1);
  CHECK(names.back() == "classes");
  CHECK(std::count(names.begin(), names.end(), "layers/1/self_attention/probabilities") == 1);
  CHECK(contains(to_json(*config), "\"architecture\": \"kette-classifier\""));
  CHECK(contains(headline(*config), "layers 2"));
}

TEST_CASE("a family of one's own: goes on from a pretrained BERT") {
  const OneThread quick;
  ClassifierConfig config;
  static_cast<BertConfig&>(config) = small_bert();
  Bert pretrained(config);
  pretrained.materialize(1);
  Classifier model(config);
  model.materialize(2);
  std::size_t taken = 0;
  for (const auto& leaf : model.parameters().leaves()) {
    const Leaf* known = pretrained.parameters().find(leaf->name);
    if (known == nullptr) continue;
    leaf->value.copy_from(known->value);
    ++taken;
  }
  CHECK(taken + 2 == model.parameters().leaves().size());  // all but those of its own map
  const Batch batch = config.example_batch(3);
  Run inference;
  const Tensor states = pretrained.encoder()(batch, inference).value(),
               logits = model.logits(batch, inference).value(),
               weight = model.parameters().find("classes/weight")->value,
               bias = model.parameters().find("classes/bias")->value;
  for (std::int64_t text = 0; text < batch.source_segments.count(); ++text) {
    const float* first = states.data<float>() + batch.source_segments.begin(text) * config.width;
    for (std::int64_t k = 0; k < config.classes; ++k) {
      double expected = bias.data<float>()[k];
      for (std::int64_t j = 0; j < config.width; ++j) {
        expected += double(first[j]) * weight.data<float>()[k * config.width + j];
      }
      CHECK(logits.data<float>()[text * config.classes + k] == doctest::Approx(expected));
    }
  }
}

TEST_CASE("a family of one's own: learns, is saved, and is adapted") {
  const OneThread quick;
  Classifier model(tiny_classifier());
  model.materialize(1);
  Adam adam(model.parameters(), {});
  Random random(5, 1);
  const Batch unseen = random_texts(random, 400);
  const double before = accuracy(model, unseen);
  for (int step = 0; step < 150; ++step) {
    const Batch batch = random_texts(random, 64);
    train_step(model, adam, {&batch, 1}, {.lr = 3e-3, .label_smoothing = 0});
  }
  CHECK(before < 0.7);
  CHECK(accuracy(model, unseen) > 0.95);

  const ScratchFolder folder;
  save_parameters(folder / kModelFile, model.parameters(), {{"step", "150"}});
  Classifier loaded(tiny_classifier());
  loaded.allocate(DType::f32, {}, Gradients::none);
  load_parameters(folder / kModelFile, loaded.parameters());
  Run inference;
  CHECK(loaded.logits(unseen, inference).value().values<float>() ==
        model.logits(unseen, inference).value().values<float>());

  LoraOptions options;
  options.rank = 2;
  LoraAdapters adapters(loaded, options);
  adapters.materialize(1);
  Adam on_adapters(adapters.parameters(), {});
  const Batch batch = random_texts(random, 64);
  const std::vector<float> frozen = loaded.parameters().values().values<float>();
  train_step(loaded, on_adapters, {&batch, 1}, {.lr = 3e-3, .label_smoothing = 0});
  CHECK(loaded.parameters().values().values<float>() == frozen);
}

#include "tests/models/classifier.h"

#include "autograd/ops/dropout.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/linear_cross_entropy.h"

namespace kette {
namespace {

ClassifierConfig small_classifier() {
  ClassifierConfig config;
  static_cast<BertConfig&>(config) = small_bert();
  config.classes = 3;
  return config;
}

}  // namespace

Variable Classifier::logits(const Batch& batch, Run& run) const {
  return classes_(first_states(batch, run), run);
}

Variable Classifier::loss(const Batch& batch, const CrossEntropyOptions& options, Run& run,
                          const Tensor& sums) const {
  return linear_cross_entropy(first_states(batch, run), classes_.weight, classes_.bias,
                              Tensor::from(batch.target_out), options, sums);
}

Variable Classifier::first_states(const Batch& batch, Run& run) const {
  std::vector<std::int32_t> firsts;
  for (std::int64_t i = 0; i < batch.source_segments.count(); ++i) {
    firsts.push_back(static_cast<std::int32_t>(batch.source_segments.begin(i)));
  }
  return dropout(embedding(encoder_(batch, run), Tensor::from(firsts)), run.mask(config_.dropout));
}

Classifier::Classifier(const ClassifierConfig& config)
    : config_(checked(config)),
      encoder_(Scope(store_), config),
      classes_(Scope(store_) / "classes", config.width, config.classes) {}

void Classifier::each_linear(const VisitLinear& visit) {
  encoder_.each_linear(visit);
  visit(classes_, {{"classes"}});
}

std::unique_ptr<Model> ClassifierConfig::make_model() const {
  return std::make_unique<Classifier>(*this);
}

const Family& classifier_family() {
  static const Family family = {
      .name = "classifier",
      .what = "classifier",
      .options = "Classifiers",
      .use = "it says which class a text is of",
      .presets = {"small-classifier"},
      .config = [](const std::string&) { return std::make_unique<ClassifierConfig>(); },
      .small_models = {{"classifier", small_classifier().clone()}}};
  return family;
}

std::vector<Field> ClassifierConfig::fields() {
  std::vector<Field> fields = BertConfig::fields();
  fields.push_back({"classes", &classes, "--classes", "Classes to choose from"});
  return fields;
}

void ClassifierConfig::check() const {
  BertConfig::check();
  check_size("classes", classes, kMaxVocabulary);
}

std::vector<ModelPart> ClassifierConfig::parts() const {
  std::vector<ModelPart> parts = BertConfig::parts();
  parts.front() = {.name = "token embedding", .none = {"token_embedding"}};
  parts.back() = {.name = "classes", .target = {"classes"}};
  return parts;
}

Batch ClassifierConfig::example_batch(std::uint64_t seed) const {
  Batch batch = BertConfig::example_batch(seed);
  const auto texts = static_cast<std::size_t>(batch.source_segments.count());
  batch.target_segments = Segments::from_lengths(std::vector<std::int64_t>(texts, 1));
  batch.target_in.assign(texts, 0);
  batch.target_out = batch.target_in;
  for (std::size_t i = 0; i < texts; ++i) {
    batch.target_out[i] = batch.source[i] % static_cast<std::int32_t>(classes);
  }
  return batch;
}

}  // namespace kette

#include "tests/models/classifier.h"

#include "nn/positions.h"

namespace kette {
namespace {

std::vector<Block> encoder_blocks(const Scope& scope, const ClassifierConfig& c) {
  BlockConfig config{.width = c.width, .hidden = c.hidden, .heads = c.heads_of(0)};
  config.norm_order = NormOrder::pre;
  config.feed_forward = FeedForwardKind::gelu;
  config.dropout = c.dropout;
  config.attention_dropout = c.attention_dropout;
  std::vector<Block> blocks;
  for (std::int64_t i = 0; i < c.layers; ++i) blocks.emplace_back(scope / i, i, config);
  return blocks;
}

ClassifierConfig small_classifier() {
  ClassifierConfig config;
  config.layers = 2;
  config.width = 16;
  config.hidden = 24;
  config.heads = 2;
  config.vocabulary = 23;
  config.max_length = 16;
  config.classes = 3;
  config.attention_dropout = 0.1;
  return config;
}

}  // namespace

Variable Classifier::logits(const Batch& batch, Run& run) const {
  return output_(first_states(batch, run), run);
}

Variable Classifier::loss(const Batch& batch, const CrossEntropyOptions& options, Run& run,
                          const Tensor& sums) const {
  return linear_cross_entropy(first_states(batch, run), output_.weight, output_.bias,
                              Tensor::from(batch.target_out), options, sums);
}

Variable Classifier::first_states(const Batch& batch, Run& run) const {
  const Segments& texts = batch.source_segments;
  KETTE_CHECK(texts.longest() <= config_.max_length, "classifier: expected texts of at most ",
              config_.max_length, " tokens, given one of ", texts.longest());
  const PackedSequences sequences(texts);
  const Variable embedded =
      add_positions(embedding_(Tensor::from(batch.source)), positions_, sequences.positions());
  ResidualStream x = run.tap("embedded", dropout(embedded, run.mask(config_.dropout)));
  for (const Block& block : blocks_) x = block(x, sequences, run);
  std::vector<std::int32_t> firsts;
  for (std::int64_t i = 0; i < texts.count(); ++i) {
    firsts.push_back(static_cast<std::int32_t>(texts.begin(i)));
  }
  return embedding(x.through(final_norm_, run)[1], Tensor::from(firsts));
}

Classifier::Classifier(const ClassifierConfig& config)
    : config_(checked(config)),
      embedding_(Embedding::scaled(Scope(store_) / "embedding", config.vocabulary, config.width)),
      blocks_(encoder_blocks(Scope(store_) / "encoder", config)),
      final_norm_(Scope(store_) / "final_norm", config.width),
      output_(Scope(store_) / "output", config.width, config.classes) {}

void Classifier::make_tables(DType dtype, Device device) {
  positions_ = sinusoidal_positions(config_.max_length, config_.width).to(dtype).to(device);
}

void Classifier::each_linear(const VisitLinear& visit) {
  for (Block& block : blocks_) block.each_linear(visit);
  visit(output_, {{"classes"}});
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
  std::vector<Field> fields = {{"layers", &layers, "--layers", "Layers"},
                               {"max_length", &max_length, "--model-max-length", "Longest text"},
                               {"classes", &classes, "--classes", "Classes to choose from"}};
  for (Field& field : ModelConfig::fields()) fields.push_back(std::move(field));
  return fields;
}

void ClassifierConfig::check() const {
  ModelConfig::check();
  check_size("layers", layers, kMostLayers);
  check_size("max_length", max_length, kMostPositions);
  check_size("classes", classes, kLargestVocabulary);
}

std::vector<SummaryRow> ClassifierConfig::summary() const {
  const std::int64_t w = width, norm = 2 * w;
  return {{"embedding", 1, vocabulary * w, 0, 0},
          {"layer: self-attention", layers, 4 * linear_parameters(w, w) + norm,
           linear_flops(w, 4 * w), 0},
          {"layer: feed-forward", layers,
           linear_parameters(w, hidden) + linear_parameters(hidden, w) + norm,
           linear_flops(w, 2 * hidden), 0},
          {"final norm", 1, norm, 0, 0},
          {"output", 1, linear_parameters(w, classes), 0, linear_flops(w, classes)}};
}

double ClassifierConfig::attention_pairs(const Segments& source, const Segments&) const {
  return static_cast<double>(layers) * pairs(source, source);
}

Batch ClassifierConfig::example_batch(std::uint64_t seed) const {
  Batch batch = ModelConfig::example_batch(seed);
  const std::int64_t texts = batch.source_segments.count();
  batch.target_segments =
      Segments::from_lengths(std::vector<std::int64_t>(static_cast<std::size_t>(texts), 1));
  batch.target_in.resize(static_cast<std::size_t>(texts));
  batch.target_out = batch.target_in;
  for (std::size_t i = 0; i < batch.target_out.size(); ++i) {
    batch.target_out[i] = batch.source[i] % static_cast<std::int32_t>(classes);
  }
  return batch;
}

}  // namespace kette

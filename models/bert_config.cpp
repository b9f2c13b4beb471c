#include "models/bert_config.h"

#include <cmath>

#include "tensor/random.h"

namespace kette {
namespace {

BertConfig bert(std::int64_t layers, std::int64_t width, std::int64_t heads,
                std::int64_t vocabulary, std::int64_t context) {
  BertConfig config;
  config.layers = layers;
  config.width = width;
  config.hidden = 4 * width;
  config.heads = heads;
  config.vocabulary = vocabulary;
  config.context = context;
  return config;
}

const Presets<BertConfig>& bert_presets() {
  static const Presets<BertConfig> presets = {{"bert-tiny", bert(2, 128, 2, 8000, 128)},
                                              {"bert-small", bert(4, 256, 4, 16000, 128)},
                                              {"bert-base", bert(12, 768, 12, 30522, 512)},
                                              {"bert-large", bert(24, 1024, 16, 30522, 512)}};
  return presets;
}

}  // namespace

BertConfig::BertConfig() {
  width = 768;
  hidden = 3072;
  heads = 12;
  vocabulary = 30522;
  attention_dropout = 0.1;
}

BertConfig BertConfig::preset(const std::string& name) { return find_preset(bert_presets(), name); }

const Family& bert_family() {
  static const Family family = {
      .name = "bert",
      .what = "masked language model",
      .options = "BERT models",
      .use = "kette fill and kette evaluate --text are for those",
      .presets = names_of(bert_presets()),
      .config = preset_or_defaults<BertConfig>,
      .small_models = {{"BERT", small_bert().clone()}, {"modern", small_modern_bert().clone()}}};
  return family;
}

std::vector<Field> BertConfig::fields() {
  std::vector<Field> fields = {{"layers", &layers, "--layers", "Layers"}};
  for (Field& field : ModelConfig::fields()) fields.push_back(std::move(field));
  const Field own[] = {
      {"context", &context, "--context", "Tokens the model sees at once"},
      {.key = "segments",
       .value = &segments,
       .option = "--segments",
       .help = "Parts of a text that tokens are told apart by; 0: none",
       .least = 0},
      {"positions", Field::choice(positions), "--positions",
       "Added to the tokens, or turning queries and keys"},
      {"norm", Field::choice(norm), "--norm", "Norm after each sub-layer, or before it"},
      {"norm_kind", Field::choice(norm_kind), "--norm-kind",
       "Layer norm, the root mean square alone, or none"},
      {.key = "norm_epsilon", .value = &norm_epsilon},
      {.key = "rotary_base", .value = &rotary_base},
      {"feed_forward", Field::choice(feed_forward), "--feed-forward",
       "What is inside the feed-forward layers"},
      {"biases", &biases, "--biases", "Linear maps and layer norms have biases"}};
  fields.insert(fields.end(), std::begin(own), std::end(own));
  return fields;
}

void BertConfig::check() const {
  check_size("layers", layers, kMostLayers);
  ModelConfig::check();
  check_size("context", context, kMostPositions, 3);  // both marks, and something between them
  check_size("segments", segments, kLargestVocabulary, 0);
  KETTE_CHECK(positions != Positions::alibi,
              "positions: expected learned or rotary in a model that reads both ways, given alibi");
  KETTE_CHECK(positions != Positions::rotary || width / heads % 2 == 0,
              "heads: expected heads of even width for rotary positions, given ", width / heads);
  KETTE_CHECK(norm_epsilon > 0 && norm_epsilon < 1,
              "norm_epsilon: expected a number between 0 and 1, given ", norm_epsilon);
  KETTE_CHECK(rotary_base > 0 && std::isfinite(rotary_base),
              "rotary_base: expected a number above 0, given ", rotary_base);
}

std::vector<SummaryRow> BertConfig::summary() const {
  const std::int64_t w = width,
                     inner = feed_forward == FeedForwardKind::swiglu ? 2 * hidden : hidden;
  const std::int64_t norm_size = norm_kind == NormKind::none              ? 0
                                 : norm_kind == NormKind::layer && biases ? 2 * w
                                                                          : w;
  const auto map = [this](std::int64_t in, std::int64_t out) {
    return linear_parameters(in, out, biases);
  };
  std::vector<SummaryRow> rows = {
      {"token embedding = output projection", 1, vocabulary * w, 0, linear_flops(w, vocabulary)}};
  if (positions == Positions::learned) rows.push_back({"position embedding", 1, context * w, 0, 0});
  if (segments > 0) rows.push_back({"segment embedding", 1, segments * w, 0, 0});
  if (norm_size > 0) rows.push_back({"embedding norm", 1, norm_size, 0, 0});
  const auto cost = [&](std::int64_t heads_width) {
    return SummaryRow{"layer: self-attention", 1,
                      map(w, 3 * heads_width) + map(heads_width, w) + norm_size,
                      linear_flops(w, 4 * heads_width), 0};
  };
  for (SummaryRow& row : attention_rows(*this, 0, layers, cost)) rows.push_back(std::move(row));
  rows.push_back({"layer: feed-forward", layers, map(w, inner) + map(hidden, w) + norm_size,
                  linear_flops(w, inner + hidden), 0});
  if (norm == NormOrder::pre && norm_size > 0) rows.push_back({"final norm", 1, norm_size, 0, 0});
  rows.push_back({"head of masked words", 1, map(w, w) + norm_size + (biases ? vocabulary : 0), 0,
                  linear_flops(w, w)});
  return rows;
}

double BertConfig::attention_pairs(const Segments& source, const Segments&) const {
  return whole_attentions(*this, 0, layers) * pairs(source, source);
}

Batch BertConfig::example_batch(std::uint64_t seed) const {
  Batch batch = ModelConfig::example_batch(seed);
  const auto places = [](std::int32_t length) { return std::pair{length - 1, length / 2}; };
  batch.target_segments = Segments::from_lengths({2, 2});
  batch.target_out.resize(4);
  batch.target_in.clear();
  for (std::int64_t i = 0; i < batch.source_segments.count(); ++i) {
    const auto [last, middle] = places(static_cast<std::int32_t>(batch.source_segments.length(i)));
    batch.target_in.insert(batch.target_in.end(), {last, middle});
  }
  Random random(seed, 2001);
  for (std::size_t row = 0; row < batch.source.size() && segments > 0; ++row) {
    batch.source_types.push_back(static_cast<std::int32_t>(random.below(segments)));
  }
  return batch;
}

BertConfig small_bert() {
  BertConfig config = bert(2, 16, 2, 23, 16);
  config.hidden = 24;
  return config;
}

BertConfig small_modern_bert() {
  BertConfig config = small_bert();
  config.segments = 0;
  config.positions = Positions::rotary;
  config.norm = NormOrder::pre;
  config.norm_kind = NormKind::rms;
  config.norm_epsilon = kNormEpsilon;
  config.feed_forward = FeedForwardKind::swiglu;
  config.biases = false;
  return config;
}

}  // namespace kette

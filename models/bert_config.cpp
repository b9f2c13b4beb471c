#include "models/bert_config.h"

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

/// For a few megabytes of text. Models learn to use rotary positions at once, but learned positions
/// hardly (docs/results/language-models.md, "Masked words").
BertConfig rotary(BertConfig config) {
  config.positions = Positions::rotary;
  return config;
}

const Presets<BertConfig>& bert_presets() {
  static const Presets<BertConfig> presets = {{"bert-tiny", rotary(bert(2, 128, 2, 8000, 128))},
                                              {"bert-small", rotary(bert(4, 256, 4, 16000, 128))},
                                              {"bert-base", bert(12, 768, 12, 30522, 512)},
                                              {"bert-large", bert(24, 1024, 16, 30522, 512)}};
  return presets;
}

}  // namespace

BertConfig::BertConfig() {
  vocabulary = 30522;
  context = 512;
  norm_epsilon = 1e-12;
  feed_forward = FeedForwardKind::gelu_erf;
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
  std::vector<Field> fields = StackConfig::fields();
  const Field own[] = {
      {.key = "segments",
       .value = &segments,
       .option = "--segments",
       .help = "Parts of a text that tokens are told apart by; 0: none",
       .minimum = 0},
      {"norm", Field::choice(norm), "--norm", "Norm after each sub-layer, or before it"}};
  fields.insert(fields.end(), std::begin(own), std::end(own));
  return fields;
}

void BertConfig::check() const {
  StackConfig::check();
  check_size("context", context, kMaxPositions, 3);  // both marks, and something between them
  check_size("segments", segments, kMaxVocabulary, 0);
  KETTE_CHECK(positions == Positions::learned || positions == Positions::rotary,
              "positions: expected learned or rotary in a model that reads both ways, given ",
              enum_name(positions));
}

std::vector<ModelPart> BertConfig::parts() const {
  return {{.name = "token embedding = output projection", .target = {"token_embedding"}},
          {.name = "position embedding", .none = {"position_embedding"}},
          {.name = "segment embedding", .none = {"segment_embedding"}},
          {.name = "embedding norm", .none = {"embedding_norm"}},
          {.name = "layer: self-attention",
           .source = {"layers/0/self_attention", "layers/0/self_attention_norm"},
           .count = layers,
           .first_attention = 0},
          {.name = "layer: feed-forward",
           .source = {"layers/0/feed_forward", "layers/0/feed_forward_norm"},
           .count = layers},
          {.name = "final norm", .none = {"final_norm"}},
          {.name = "head of masked words", .target = {"head"}, .none = {"output"}}};
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

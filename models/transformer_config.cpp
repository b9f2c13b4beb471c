#include "models/transformer_config.h"

#include <algorithm>

#include "data/tokenizers/tokenizer.h"

namespace kette {

namespace {

/// Table 3 of Vaswani et al. 2017.
TransformerConfig big() {
  TransformerConfig config;
  config.width = 1024;
  config.hidden = 4096;
  config.heads = 16;
  config.dropout = 0.3;
  return config;
}

/// With this number of layers in each stack.
TransformerConfig narrow(std::int64_t layers) {
  TransformerConfig config;
  config.encoder_layers = config.decoder_layers = layers;
  config.width = 128;
  config.hidden = 256;
  config.heads = 4;
  return config;
}

/// For small data, as in Wu et al. 2021.
TransformerConfig tiny() {
  TransformerConfig config = narrow(4);
  config.vocabulary = 10000;
  config.dropout = 0.3;
  return config;
}

/// Words to trees.
TransformerConfig parser() {
  TransformerConfig config = narrow(3);
  config.source_vocabulary = 8000;
  config.vocabulary = 100;  // symbols: about as many as the Penn Treebank has
  config.count_tags = true;
  config.first_tag = 54;
  config.dropout = 0.2;
  config.norm = NormOrder::pre;
  return config;
}

const Presets<TransformerConfig>& transformer_presets() {
  static const Presets<TransformerConfig> presets = {
      {"tiny", tiny()}, {"base", TransformerConfig()}, {"big", big()}, {"parse", parser()}};
  return presets;
}

}  // namespace

TransformerConfig TransformerConfig::preset(const std::string& name) {
  return find_preset(transformer_presets(), name);
}

const Family& transformer_family() {
  static const Family family = {.name = "transformer",
                                .what = "translation model",
                                .options = "Encoder-decoder models",
                                .use = "kette translate and kette evaluate --src are for those",
                                .presets = names_of(transformer_presets()),
                                .config = preset_or_defaults<TransformerConfig>,
                                .small_models = {
                                    {"post-norm", small_transformer(NormOrder::post).clone()},
                                    {"pre-norm", small_transformer(NormOrder::pre).clone()},
                                    {"marian", small_marian().clone()},
                                    {"pruned", small_pruned_transformer().clone()},
                                    {"parser", small_parser().clone()},
                                    {"table-3", small_table_3_transformer().clone()},
                                }};
  return family;
}

std::vector<Field> TransformerConfig::fields() {
  std::vector<Field> fields = {
      {"encoder_layers", &encoder_layers, "--encoder-layers", "Layers of the encoder"},
      {"decoder_layers", &decoder_layers, "--decoder-layers", "Layers of the decoder"}};
  for (Field& field : ModelConfig::fields()) fields.push_back(std::move(field));
  const Field own[] = {
      {"max_length", &max_length, "--model-max-length",
       "Longest sequence the model can be given, in tokens, with the marks of its beginning and end",
       3},
      {.key = "key_width",
       .value = &key_width,
       .option = "--key-width",
       .help =
           "Columns of queries and keys in each head, d_k; a divisor of those of the values, width / heads; 0: as many",
       .minimum = 0,
       .optional = true},
      {.key = "positions",
       .value = Field::choice(positions),
       .option = "--positions",
       .help =
           "Of translation models sinusoidal, the paper's, or learned; of language models learned, as in GPT-2, rotary (queries and keys turn) or alibi (scores fall with the distance)",
       .optional = true},
      {"activation_dropout", &activation_dropout, "--activation-dropout",
       "Dropout inside the feed-forward layers"},
      {"norm", Field::choice(norm), "--norm",
       "Layer norm after each sub-layer, as in the paper, or before it"},
      {"activation", Field::choice(feed_forward), "--activation",
       "Of the feed-forward layers; swiglu: with a gate"},
      {.key = "sinusoids", .value = Field::choice(sinusoids), .optional = true},
      {.key = "output_bias", .value = &output_bias, .optional = true},
      {.key = "source_vocabulary", .value = &source_vocabulary, .optional = true},
      {.key = "count_tags",
       .value = &count_tags,
       .option = "--count-tags",
       .help = "Of parsers: half of a position is how many words have been read",
       .optional = true},
      {.key = "first_tag", .value = &first_tag, .optional = true},
      {.key = "pad", .value = &special.pad, .optional = true},
      {.key = "unknown", .value = &special.unknown, .optional = true},
      {.key = "begin", .value = &special.begin, .optional = true},
      {.key = "end", .value = &special.end, .optional = true},
  };
  fields.insert(fields.end(), std::begin(own), std::end(own));
  return fields;
}

void TransformerConfig::check() const {
  check_size("encoder_layers", encoder_layers, kMaxLayers);
  check_size("decoder_layers", decoder_layers, kMaxLayers);
  ModelConfig::check();
  check_size("key_width", key_width, width / heads, 0);
  KETTE_CHECK(key_width == 0 || width / heads % key_width == 0,
              "key_width: expected a divisor of the width of a head's values, ", width / heads,
              ", given ", key_width);
  KETTE_CHECK(key_width == 0 || heads_left.empty(),
              "heads_left: expected none in a model with a key_width, given ", heads_left.size());
  check_size("max_length", max_length, kMaxPositions);
  check_size("source_vocabulary", source_vocabulary, kMaxVocabulary, 0);
  KETTE_CHECK(positions == Positions::sinusoidal || positions == Positions::learned,
              "positions: expected sinusoidal or learned in a translation model, given ",
              enum_name(positions));
  // So that no count exceeds its position, and the table has a row for it.
  KETTE_CHECK(!count_tags || width > 1, "count_tags: expected a width of at least 2, given ",
              width);
  KETTE_CHECK(!count_tags || first_tag > special.begin,
              "count_tags: expected a first_tag behind the begin mark ", special.begin, ", given ",
              first_tag, " (the preset parse has one)");
  check_rate("activation_dropout", activation_dropout);
  for (const auto& [what, id] : {std::pair{"pad", special.pad},
                                 {"unknown", special.unknown},
                                 {"begin", special.begin},
                                 {"end", special.end}}) {
    const std::int64_t smaller = std::min(vocabulary, source_pieces());
    KETTE_CHECK(id >= 0 && id < smaller, what, ": expected an id below the vocabulary ", smaller,
                ", given ", id);
  }
}

void TransformerConfig::check_tokenizer(const Tokenizer& tokenizer,
                                        const std::string& where) const {
  ModelConfig::check_tokenizer(tokenizer, where);
  KETTE_CHECK(tokenizer.special() == special, where,
              ": expected a tokenizer with the special tokens of config.json (pad, unknown, begin, "
              "end), given other ones; it belongs to another model");
}

std::vector<ModelPart> TransformerConfig::parts() const {
  const std::string self = "/0/self_attention", norm_of_self = self + "_norm",
                    inner = "/0/feed_forward", norm_of_inner = inner + "_norm",
                    cross = "decoder/0/cross_attention";
  return {
      {.name = "embedding = output projection", .target = {"shared_embedding"}},
      {.name = "target embedding = output projection", .target = {"target_embedding"}},
      {.name = "source embedding", .none = {"source_embedding"}},
      {.name = "encoder layer: self-attention",
       .source = {"encoder" + self, "encoder" + norm_of_self},
       .count = encoder_layers,
       .first_attention = 0},
      {.name = "encoder layer: feed-forward",
       .source = {"encoder" + inner, "encoder" + norm_of_inner},
       .count = encoder_layers},
      {.name = "decoder layer: self-attention",
       .target = {"decoder" + self, "decoder" + norm_of_self},
       .count = decoder_layers,
       .first_attention = encoder_layers},
      // Keys and values are computed for each source token, queries and outputs for each target token.
      {.name = "decoder layer: cross-attention",
       .source = {cross + "/key_value"},
       .target = {cross + "/query", cross + "/output", cross + "_norm"},
       .count = decoder_layers,
       .first_attention = encoder_layers + decoder_layers},
      {.name = "decoder layer: feed-forward",
       .target = {"decoder" + inner, "decoder" + norm_of_inner},
       .count = decoder_layers},
      {.name = "position embeddings", .none = {"encoder/positions"}, .count = 2},
      {.name = "output bias", .none = {"output"}},
      {.name = "final norms", .none = {"encoder/final_norm"}, .count = 2}};
}

double TransformerConfig::attention_pairs(const Segments& source, const Segments& target) const {
  const std::int64_t cross = encoder_layers + decoder_layers;
  return whole_attentions(*this, 0, encoder_layers) * pairs(source, source) +
         whole_attentions(*this, encoder_layers, decoder_layers) * causal_pairs(target) +
         whole_attentions(*this, cross, decoder_layers) * pairs(target, source);
}

TransformerConfig small_transformer(NormOrder norm) {
  TransformerConfig config;
  config.encoder_layers = config.decoder_layers = 2;
  config.width = 16;
  config.hidden = 24;
  config.heads = 2;
  config.vocabulary = 23;
  config.max_length = 16;
  config.dropout = config.attention_dropout = config.activation_dropout = 0.1;
  config.norm = norm;
  return config;
}

TransformerConfig small_marian() {
  TransformerConfig config = small_transformer(NormOrder::post);
  config.feed_forward = FeedForwardKind::silu;
  config.sinusoids = SinusoidLayout::concatenated;
  config.output_bias = true;
  return config;
}

TransformerConfig small_parser() {
  TransformerConfig config = small_transformer(NormOrder::pre);
  config.source_vocabulary = 31;
  config.count_tags = true;
  config.first_tag = 13;
  return config;
}

TransformerConfig small_table_3_transformer() {
  TransformerConfig config = small_transformer(NormOrder::post);
  config.key_width = 4;
  config.positions = Positions::learned;
  return config;
}

TransformerConfig small_pruned_transformer() {
  TransformerConfig config = small_transformer(NormOrder::pre);
  config.heads = 4;
  config.heads_left = {1, 4, 3, 2, 2, 1};
  return config;
}

}  // namespace kette

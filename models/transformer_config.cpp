#include "models/transformer_config.h"

#include "data/tokenizers/tokenizer.h"

namespace kette {

TransformerConfig TransformerConfig::preset(const std::string& name) {
  TransformerConfig config;
  if (name == "base") return config;
  if (name == "big") {
    config.width = 1024;
    config.hidden = 4096;
    config.heads = 16;
    config.dropout = 0.3;
    return config;
  }
  if (name == "tiny") {
    config.encoder_layers = config.decoder_layers = 4;
    config.width = 128;
    config.hidden = 256;
    config.heads = 4;
    config.vocabulary = 10000;
    config.dropout = 0.3;
    return config;
  }
  fail("preset: expected tiny, base or big, given ", name);
}

const Family& transformer_family() {
  static const Family family = {.name = "transformer",
                                .what = "translation model",
                                .options = "Encoder-decoder models",
                                .use = "kette translate and kette evaluate --src are for those",
                                .presets = {"tiny", "base", "big"},
                                .config = preset_or_defaults<TransformerConfig>,
                                .small_models = {
                                    {"post-norm", small_transformer(NormOrder::post).clone()},
                                    {"pre-norm", small_transformer(NormOrder::pre).clone()},
                                    {"marian", small_marian().clone()},
                                    {"pruned", small_pruned_transformer().clone()},
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
      {"activation_dropout", &activation_dropout, "--activation-dropout",
       "Dropout inside the feed-forward layers"},
      {"norm", Field::choice(norm), "--norm",
       "Layer norm after each sub-layer, as in the paper, or before it"},
      {"activation", Field::choice(feed_forward), "--activation",
       "Of the feed-forward layers; swiglu: with a gate"},
      {.key = "sinusoids", .value = Field::choice(sinusoids), .may_lack = true},
      {.key = "output_bias", .value = &output_bias, .may_lack = true},
      {.key = "pad", .value = &special.pad, .may_lack = true},
      {.key = "unknown", .value = &special.unknown, .may_lack = true},
      {.key = "begin", .value = &special.begin, .may_lack = true},
      {.key = "end", .value = &special.end, .may_lack = true},
  };
  fields.insert(fields.end(), std::begin(own), std::end(own));
  return fields;
}

void TransformerConfig::check() const {
  check_size("encoder_layers", encoder_layers, kMostLayers);
  check_size("decoder_layers", decoder_layers, kMostLayers);
  ModelConfig::check();
  check_size("max_length", max_length, kMostPositions);
  check_rate("activation_dropout", activation_dropout);
  for (const auto& [what, id] : {std::pair{"pad", special.pad},
                                 {"unknown", special.unknown},
                                 {"begin", special.begin},
                                 {"end", special.end}}) {
    KETTE_CHECK(id >= 0 && id < vocabulary, what, ": expected an id below the vocabulary ",
                vocabulary, ", given ", id);
  }
}

void TransformerConfig::check_tokenizer(const Tokenizer& tokenizer,
                                        const std::string& where) const {
  ModelConfig::check_tokenizer(tokenizer, where);
  KETTE_CHECK(tokenizer.special() == special, where,
              ": expected a tokenizer with the special tokens of config.json (pad, unknown, begin, "
              "end), given other ones; it belongs to another model");
}

std::vector<SummaryRow> TransformerConfig::summary() const {
  const std::int64_t w = width,
                     inner = feed_forward == FeedForwardKind::swiglu ? 2 * hidden : hidden;
  const std::int64_t norm_size = 2 * w,
                     of_feed_forward = linear_parameters(w, inner) + linear_parameters(hidden, w);
  const double feed_forward_flops = linear_flops(w, inner + hidden);
  std::vector<SummaryRow> rows = {
      {"embedding = output projection", 1, vocabulary * w, 0, linear_flops(w, vocabulary)}};
  /// FLOPs: of an attention's maps from and to a model of that width, for each token of either side.
  const auto add_attentions = [&](const char* part, std::int64_t first, std::int64_t layers,
                                  double source_maps, double target_maps) {
    const auto cost = [&](std::int64_t heads_width) {
      const double map = linear_flops(w, heads_width);
      const std::int64_t parameters =
          linear_parameters(w, 3 * heads_width) + linear_parameters(heads_width, w) + norm_size;
      return SummaryRow{part, 1, parameters, source_maps * map, target_maps * map};
    };
    for (SummaryRow& row : attention_rows(*this, first, layers, cost)) {
      rows.push_back(std::move(row));
    }
  };
  add_attentions("encoder layer: self-attention", 0, encoder_layers, 4, 0);
  rows.push_back({"encoder layer: feed-forward", encoder_layers, of_feed_forward + norm_size,
                  feed_forward_flops, 0});
  add_attentions("decoder layer: self-attention", encoder_layers, decoder_layers, 0, 4);
  // Keys and values are made once for each source token, queries and outputs for each target token.
  add_attentions("decoder layer: cross-attention", encoder_layers + decoder_layers, decoder_layers,
                 2, 2);
  rows.push_back({"decoder layer: feed-forward", decoder_layers, of_feed_forward + norm_size, 0,
                  feed_forward_flops});
  if (output_bias) rows.push_back({"output bias", 1, vocabulary, 0, 0});
  if (norm == NormOrder::pre) rows.push_back({"final norms", 2, norm_size, 0, 0});
  return rows;
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

TransformerConfig small_pruned_transformer() {
  TransformerConfig config = small_transformer(NormOrder::pre);
  config.heads = 4;
  config.heads_left = {1, 4, 3, 2, 2, 1};
  return config;
}

}  // namespace kette

#include "models/gpt_config.h"

#include "tensor/suggestion.h"

namespace kette {
namespace {

GptConfig gpt2(std::int64_t layers, std::int64_t width, std::int64_t heads) {
  GptConfig config;
  config.layers = layers;
  config.width = width;
  config.hidden = 4 * width;
  config.heads = heads;
  return config;
}

/// vocabulary: the characters of Tiny Shakespeare and the end of text.
GptConfig characters(std::int64_t layers, std::int64_t width, std::int64_t heads,
                     std::int64_t context, double dropout) {
  GptConfig config = gpt2(layers, width, heads);
  config.vocabulary = 66;
  config.context = context;
  config.dropout = config.attention_dropout = dropout;
  return config;
}

const std::vector<std::pair<std::string, GptConfig>>& known_presets() {
  static const std::vector<std::pair<std::string, GptConfig>> presets = {
      {"gpt2", gpt2(12, 768, 12)},
      {"gpt2-medium", gpt2(24, 1024, 16)},
      {"gpt2-large", gpt2(36, 1280, 20)},
      {"gpt2-xl", gpt2(48, 1600, 25)},
      {"char", characters(6, 384, 6, 256, 0.2)},
      {"char-cpu", characters(4, 128, 4, 64, 0)}};
  return presets;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& entry : known_presets()) names.push_back(entry.first);
  return names;
}

}  // namespace

GptConfig::GptConfig() {
  width = 768;
  hidden = 3072;
  heads = 12;
  vocabulary = 50257;
  attention_dropout = 0.1;
}

GptConfig GptConfig::preset(const std::string& name) {
  for (const auto& [preset_name, config] : known_presets()) {
    if (preset_name == name) return config;
  }
  fail("preset: expected one of ", joined(preset_names()), ", given ", name);
}

const Family& gpt_family() {
  static const Family family = {
      .name = "gpt",
      .what = "language model",
      .options = "GPT models",
      .use = "kette generate and kette evaluate --text are for those",
      .presets = preset_names(),
      .config = preset_or_defaults<GptConfig>,
      .small_models = {{"GPT-2", small_gpt().clone()}, {"modern", small_modern_gpt().clone()}}};
  return family;
}

std::vector<Field> GptConfig::fields() {
  std::vector<Field> fields = {{"layers", &layers, "--layers", "Layers"}};
  for (Field& field : ModelConfig::fields()) fields.push_back(std::move(field));
  const Field own[] = {
      {"context", &context, "--context", "Tokens the model sees at once"},
      {"positions", Field::choice(positions), "--positions",
       "Added to the tokens, as GPT-2 has them, or turning queries and keys"},
      {.key = "norm_kind",
       .value = Field::choice(norm),
       .option = "--norm-kind",
       .help = "Layer norm, or the root mean square alone",
       .former_key = "norm"},
      {"feed_forward", Field::choice(feed_forward), "--feed-forward",
       "What is inside the feed-forward layers"},
  };
  fields.insert(fields.end(), std::begin(own), std::end(own));
  return fields;
}

void GptConfig::check() const {
  check_size("layers", layers, kMostLayers);
  ModelConfig::check();
  check_size("context", context, kMostPositions);
  KETTE_CHECK(positions == Positions::learned || width / heads % 2 == 0,
              "heads: expected heads of even width for rotary positions, given ", width / heads);
}

std::vector<SummaryRow> GptConfig::summary() const {
  const std::int64_t w = width,
                     inner = feed_forward == FeedForwardKind::swiglu ? 2 * hidden : hidden,
                     norm_size = norm == NormKind::layer ? 2 * w : w;
  std::vector<SummaryRow> rows = {
      {"token embedding = output projection", 1, vocabulary * w, 0, linear_flops(w, vocabulary)}};
  if (positions == Positions::learned) rows.push_back({"position embedding", 1, context * w, 0, 0});
  rows.push_back({"layer: self-attention", layers, 4 * linear_parameters(w, w) + norm_size, 0,
                  linear_flops(w, 4 * w)});
  rows.push_back({"layer: feed-forward", layers,
                  linear_parameters(w, inner) + linear_parameters(hidden, w) + norm_size, 0,
                  linear_flops(w, inner + hidden)});
  rows.push_back({"final norm", 1, norm_size, 0, 0});
  return rows;
}

double GptConfig::attention_pairs(const Segments&, const Segments& target) const {
  return static_cast<double>(layers) * causal_pairs(target);
}

GptConfig small_gpt() {
  GptConfig config;
  config.layers = 2;
  config.width = 16;
  config.hidden = 24;
  config.heads = 2;
  config.vocabulary = 23;
  config.context = 16;
  return config;
}

GptConfig small_modern_gpt() {
  GptConfig config = small_gpt();
  config.positions = Positions::rotary;
  config.norm = NormKind::rms;
  config.feed_forward = FeedForwardKind::swiglu;
  return config;
}

}  // namespace kette

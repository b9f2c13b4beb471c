#include "models/gpt_config.h"

#include "models/size_limits.h"

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

}  // namespace

GptConfig GptConfig::preset(const std::string& name) {
  std::string known;
  for (const auto& [preset_name, config] : known_presets()) {
    if (preset_name == name) return config;
    known += (known.empty() ? "" : ", ") + preset_name;
  }
  fail("preset: expected one of ", known, ", given ", name);
}

const std::vector<std::string>& GptConfig::presets() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const auto& entry : known_presets()) result.push_back(entry.first);
    return result;
  }();
  return names;
}

void GptConfig::check() const {
  check_size("layers", layers, kMostLayers);
  check_size("width", width, kMostWidth);
  check_size("hidden", hidden, kMostHidden);
  check_size("heads", heads, width);
  check_size("vocabulary", vocabulary, kMostTokens);
  check_size("context", context, kMostPositions);
  KETTE_CHECK(width % heads == 0, "heads: expected a divisor of the width ", width, ", given ",
              heads);
  KETTE_CHECK(positions == Positions::learned || width / heads % 2 == 0,
              "heads: expected heads of even width for rotary positions, given ", width / heads);
  for (const auto& [what, rate] :
       {std::pair{"dropout", dropout}, {"attention_dropout", attention_dropout}}) {
    KETTE_CHECK(rate >= 0 && rate < 1, what, ": expected a rate in [0, 1), given ", rate);
  }
}

}  // namespace kette

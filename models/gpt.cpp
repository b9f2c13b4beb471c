#include "models/gpt.h"

#include <cmath>

#include "models/size_limits.h"

namespace kette {
namespace {

constexpr double kDeviation = 0.02;

/// The residual stream is a sum of 2 * layers outputs; this keeps its variance from growing with
/// them.
WeightInit weight_init(const GptConfig& config) {
  return {kDeviation, kDeviation / std::sqrt(2.0 * static_cast<double>(config.layers))};
}

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

GptLayer::GptLayer(const Scope& scope, const GptConfig& c)
    : attention_residual(scope / "attention_norm", c.width, NormOrder::pre, c.dropout, c.norm),
      attention(scope / "attention", c.width, c.heads, Mask::causal, c.attention_dropout,
                weight_init(c)),
      feed_forward_residual(scope / "feed_forward_norm", c.width, NormOrder::pre, c.dropout,
                            c.norm),
      feed_forward(c.gate == Gate::gelu ? FeedForward(scope / "feed_forward", c.width, c.hidden,
                                                      Activation::gelu, 0, weight_init(c))
                                        : FeedForward::swiglu(scope / "feed_forward", c.width,
                                                              c.hidden, 0, weight_init(c))) {}

ResidualStream GptLayer::operator()(const ResidualStream& x, const Segments& segments, Run& run,
                                    const Rotation* rotation) const {
  const ResidualStream attended = attention_residual(
      x, [&](const Variable& in) { return attention(in, segments, run, rotation); }, run);
  return feed_forward_residual(
      attended, [&](const Variable& in) { return feed_forward(in, run); }, run);
}

Gpt::Gpt(const GptConfig& config)
    : config_((config.check(), config)),
      token_embedding_(Scope(store_) / "token_embedding", config.vocabulary, config.width,
                       kDeviation),
      position_embedding_([&]() -> std::optional<Embedding> {
        if (config.positions == Positions::rotary) return {};
        return Embedding(Scope(store_) / "position_embedding", config.context, config.width,
                         kDeviation);
      }()),
      layers_([&] {
        std::vector<GptLayer> layers;
        for (std::int64_t i = 0; i < config.layers; ++i) {
          layers.emplace_back(Scope(store_) / "layers" / i, config);
        }
        return layers;
      }()),
      final_norm_(Scope(store_) / "final_norm", config.width, config.norm) {}

void Gpt::allocate(DType dtype, Device device, Gradients gradients) {
  store_.allocate(dtype, device, gradients);
  make_tables(dtype, device);
}

void Gpt::materialize(std::uint64_t seed, DType dtype, Device device, Gradients gradients) {
  store_.materialize(seed, dtype, device, gradients);
  make_tables(dtype, device);
}

void Gpt::make_tables(DType dtype, Device device) {
  if (config_.positions == Positions::learned) return;
  constexpr double kBase = 10000;
  rotary_table_ =
      kette::rotary_table(config_.context, config_.width / config_.heads, kBase, dtype, device);
}

Variable Gpt::embed(const Tensor& ids, const Tensor& positions, Run& run) const {
  Variable x = token_embedding_(ids);
  if (position_embedding_) x = add_positions(x, position_embedding_->table, positions);
  return dropout(x, run.mask(config_.dropout));
}

Variable Gpt::states(const Tensor& ids, const Segments& segments, Run& run) const {
  KETTE_CHECK(segments.longest() <= config_.context, "gpt: expected sequences of at most ",
              config_.context, " tokens, given one of ", segments.longest());
  const Tensor positions = row_positions(segments);
  std::optional<Rotation> rotation;
  if (rotary_table_.defined()) {
    rotation = Rotation{rotary_table_, positions.to(rotary_table_.device())};
  }
  ResidualStream x = embed(ids, positions, run);
  for (const GptLayer& layer : layers_) {
    x = layer(x, segments, run, rotation ? &*rotation : nullptr);
  }
  return x.through(final_norm_)[1];
}

Variable Gpt::loss(const Variable& states, const Tensor& next, const CrossEntropyOptions& options,
                   const Tensor& sums) const {
  return projected_cross_entropy(states, token_embedding_.table, Variable(), next, options, sums);
}

Variable Gpt::logits(const Variable& states) const {
  return linear(states, token_embedding_.table, Variable());
}

}  // namespace kette

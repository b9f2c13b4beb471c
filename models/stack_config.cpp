#include "models/stack_config.h"

#include <cmath>

#include "autograd/ops/rotary.h"
#include "nn/block.h"

namespace kette {

StackConfig::StackConfig() {
  width = 768;
  hidden = 3072;
  heads = 12;
  attention_dropout = 0.1;
}

std::vector<Field> StackConfig::fields() {
  std::vector<Field> fields = {{"layers", &layers, "--layers", "Layers"}};
  for (Field& field : ModelConfig::fields()) fields.push_back(std::move(field));
  const Field own[] = {
      {"context", &context, "--context", "Tokens the model sees at once"},
      {"positions", Field::choice(positions), "--positions",
       "Added to the tokens, as GPT-2 has them, turning queries and keys, or as slopes of the scores"},
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

void StackConfig::check() const {
  check_size("layers", layers, kMaxLayers);
  ModelConfig::check();
  check_size("context", context, kMaxPositions);
  KETTE_CHECK(positions != Positions::rotary || width / heads % 2 == 0,
              "heads: expected heads of even width for rotary positions, given ", width / heads);
  KETTE_CHECK(norm_epsilon > 0 && norm_epsilon < 1,
              "norm_epsilon: expected a number between 0 and 1, given ", norm_epsilon);
  KETTE_CHECK(rotary_base > 0 && std::isfinite(rotary_base),
              "rotary_base: expected a number above 0, given ", rotary_base);
}

MapOptions StackConfig::map_options(NormOrder order) const {
  const double summed = order == NormOrder::pre ? std::sqrt(2.0 * static_cast<double>(layers)) : 1;
  return {kInitialDeviation, kInitialDeviation / summed, biases};
}

BlockConfig StackConfig::block_config(NormOrder order) const {
  return {.width = width,
          .hidden = hidden,
          .norm_order = order,
          .norm_kind = norm_kind,
          .norm_epsilon = norm_epsilon,
          .feed_forward = feed_forward,
          .dropout = dropout,
          .attention_dropout = attention_dropout,
          .maps = map_options(order)};
}

Tensor StackConfig::make_rotary_table(DType dtype, Device device) const {
  if (positions != Positions::rotary) return {};
  return rotary_table(context, heads_of(0).width, rotary_base, dtype, device);
}

std::optional<Embedding> position_embedding_of(const Scope& scope, const StackConfig& config) {
  if (config.positions != Positions::learned) return {};
  return Embedding(scope, config.context, config.width, kInitialDeviation);
}

}  // namespace kette

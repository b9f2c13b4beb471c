#include "models/model.h"

#include <set>

namespace kette {

std::vector<Block> stacked_blocks(const Scope& scope, const ModelConfig& model, std::int64_t layers,
                                  BlockConfig config) {
  std::vector<Block> blocks;
  for (std::int64_t i = 0; i < layers; ++i) {
    config.heads = model.heads_of(i);
    blocks.emplace_back(scope / i, i, config);
  }
  return blocks;
}

void Model::allocate(DType dtype, Device device, Gradients gradients) {
  store_.allocate(dtype, device, gradients);
  make_tables(dtype, device);
}

void Model::materialize(std::uint64_t seed, DType dtype, Device device, Gradients gradients) {
  store_.materialize(seed, dtype, device, gradients);
  make_tables(dtype, device);
}

void Model::become_snapshot_of(const Model& other, DType weights, std::set<const Leaf*> prepacked) {
  std::vector<PrepackedWeight> maps;
  // The visitor is shared with code that changes maps. This code does not.
  const_cast<Model&>(other).each_linear(
      [&](const Linear& map, const auto&) { maps.push_back(map.prepack(weights)); });
  std::set<const Leaf*> within = std::move(prepacked);
  std::size_t next = 0;
  each_linear([&](Linear& map, const auto&) {
    map.prepacked = std::move(maps[next++]);
    within.insert({map.weight.leaf().get(), map.bias.leaf().get()});
  });
  for (Embedding* table : weights == DType::int8 ? token_tables() : std::vector<Embedding*>()) {
    const Leaf* leaf = table->table.leaf().get();
    table->rounded = rounded_to_int8(other.parameters().find(leaf->name)->value.to(DType::f32));
    within.insert(leaf);
  }
  for (const std::shared_ptr<Leaf>& leaf : store_.leaves()) {
    leaf->frozen = true;
    if (within.contains(leaf.get())) continue;
    leaf->value = other.parameters().find(leaf->name)->value.to(DType::f32).clone();
  }
  make_tables(DType::f32, other.parameters().values().device());
}

}  // namespace kette

#include "models/lora.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/lora.h"
#include "models/size_limits.h"
#include "tensor/suggestion.h"

namespace kette {
namespace {

constexpr const char *kDown = "lora_down", *kUp = "lora_up";

const std::vector<std::string> kNames = {"query", "key",   "value", "output",
                                         "inner", "outer", "all"};

void check_name(const std::string& name) {
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return;
  fail("lora: expected names among ", joined(kNames), ", given \"", name, "\"",
       did_you_mean(name, kNames));
}

bool chosen(const LoraOptions& options, const std::string& name) {
  return std::any_of(options.on.begin(), options.on.end(),
                     [&](const std::string& given) { return given == name || given == "all"; });
}

}  // namespace

std::vector<std::string> LoraOptions::parse_names(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    names.push_back(list.substr(begin, end - begin));
    check_name(names.back());
    begin = end + 1;
  }
  return names;
}

void LoraOptions::check() const {
  KETTE_CHECK(rank >= 1, "lora: expected a rank of at least 1, given ", rank);
  KETTE_CHECK(std::isfinite(alpha) && alpha >= 0, "lora: expected an alpha above 0, given ", alpha);
  KETTE_CHECK(!on.empty(), "lora: expected names of what to adapt, given none");
  for (const std::string& name : on) check_name(name);
}

bool is_of_adapters(const std::string& name) {
  return name.ends_with(std::string("/") + kDown) || name.ends_with(std::string("/") + kUp);
}

LoraAdapters::LoraAdapters(Model& model, const LoraOptions& options)
    : options_(checked(options)), base_(model.parameters()) {
  model.each_linear([&](Linear& map, const std::vector<MapPart>& parts) { add(map, parts); });
  KETTE_CHECK(!adapted_.empty(), "lora: expected names of maps that the model has, given ",
              joined(options_.on), " for a model without feed-forward layers");
}

void LoraAdapters::add(Linear& map, const std::vector<MapPart>& parts) {
  const Leaf& weight = *map.weight.leaf();
  KETTE_CHECK(weight.value.defined(),
              "lora: expected a model with values, or room for them, given one without (allocate "
              "or materialize it first)");
  KETTE_CHECK(!map.adapter, "lora: expected a model without adapters, given one with them");
  const std::int64_t in = weight.value.width();
  std::int64_t shares = 0;
  for (const MapPart& part : parts) shares += part.shares;
  LoraAdapter adapter;
  adapter.scale = options_.scale();
  std::int64_t begin = 0, adapted = 0;
  for (const MapPart& part : parts) {
    const std::int64_t end = begin + weight.value.rows() / shares * part.shares;
    if (chosen(options_, part.name)) {
      const std::int64_t most = std::min(end - begin, in);
      KETTE_CHECK(options_.rank <= most, weight.name, ": expected adapters of rank ", most,
                  " at most on its ", part.name, ", given ", options_.rank);
      adapter.blocks.push_back({begin, end});
      adapted += end - begin;
    }
    begin = end;
  }
  if (adapter.blocks.empty()) return;
  KETTE_CHECK(map.copies.empty(), weight.name,
              ": expected a model with keys as wide as values, given one whose keys are narrower, "
              "which adapters do not sit on");
  const auto blocks = static_cast<std::int64_t>(adapter.blocks.size());
  const Scope scope(store_, map.path);
  // With this deviation entries of x A^T are about as large as those of x.
  adapter.down = scope.parameter(kDown, {blocks * options_.rank, in},
                                 Init::normal(1 / std::sqrt(static_cast<double>(in))));
  adapter.up = scope.parameter(kUp, {adapted, options_.rank}, Init::constant(0));
  map.adapter = std::move(adapter);
  adapted_.push_back(&map);
}

void LoraAdapters::allocate(Gradients gradients) {
  const Tensor& like = base_.leaves().front()->value;
  store_.allocate(like.dtype(), like.device(), gradients);
}

void LoraAdapters::materialize(std::uint64_t seed) {
  const Tensor& like = base_.leaves().front()->value;
  store_.materialize(seed, like.dtype(), like.device());
}

void LoraAdapters::merge() {
  for (Linear* map : adapted_) {
    const LoraAdapter& adapter = *map->adapter;
    merge_lora(base_.value_of(*map->weight.leaf()), store_.value_of(*adapter.down.leaf()),
               store_.value_of(*adapter.up.leaf()), adapter.blocks, adapter.scale);
    map->adapter.reset();
  }
  adapted_.clear();
  KETTE_CHECK(!base_.find_non_finite(base_.values()),
              "lora: expected adapters that give finite weights, given some so large that they "
              "do not (the training diverged: take an earlier checkpoint)");
  base_.round();
}

}  // namespace kette

#include "nn/param_store.h"

#include <algorithm>
#include <cmath>

#include "tensor/kernels.h"
#include "tensor/observer.h"
#include "tensor/random.h"

namespace kette {
namespace {

/// Aligns each parameter to a cache line of f32.
constexpr std::int64_t kAlignment = 16;

/// More than any memory has; sums with gaps between parameters, and sizes in bytes, still fit.
constexpr std::int64_t kMostElements = std::int64_t{1} << 48;

/// FNV-1a: the same stream for the same path on every machine.
std::uint64_t stream_of(const std::string& path) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char c : path) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

/// Fills `parameter` in blocks: a large table in f64 would need the most memory of all.
void initialize(const Tensor& parameter, const Init& init, std::uint64_t seed,
                const std::string& path) {
  constexpr std::int64_t kBlock = std::int64_t{1} << 16;
  Random random(seed, stream_of(path));
  std::vector<double> values;
  for (std::int64_t begin = 0; begin < parameter.elements(); begin += kBlock) {
    values.resize(static_cast<std::size_t>(std::min(kBlock, parameter.elements() - begin)));
    for (double& value : values) {
      switch (init.kind) {
        case Init::Kind::constant:
          value = init.value;
          break;
        case Init::Kind::uniform:
          value = random.uniform(-init.value, init.value);
          break;
        case Init::Kind::normal:
          value = init.value * random.normal();
          break;
      }
    }
    const Tensor block = Tensor::from(values).to(parameter.dtype()).to(parameter.device());
    parameter.view(begin, block.shape()).copy_from(block);
  }
}

}  // namespace

Init Init::xavier(std::int64_t fan_in, std::int64_t fan_out) {
  return {Kind::uniform, std::sqrt(6.0 / static_cast<double>(fan_in + fan_out))};
}

ParamStore::ParamStore(const std::shared_ptr<Leaf>& leaf) : leaves_{leaf} {
  const Tensor& value = leaf->value;
  KETTE_CHECK(leaf->gradient.defined() && leaf->gradient.dtype() == value.dtype(), "parameter ",
              leaf->name, ": expected one of f32 or f64 with a gradient, given ", value.str());
  elements_ = value.elements();
  by_path_[leaf->name] = {leaf, value.shape(), {}, 0};
  values_ = value.reshaped({elements_});
  gradients_ = leaf->gradient.reshaped({elements_});
  matrix_elements_ = value.shape().rank() >= 2 ? elements_ : 0;
}

Variable ParamStore::parameter(const std::string& path, Shape shape, Init init) {
  if (const auto known = by_path_.find(path); known != by_path_.end()) {
    KETTE_CHECK(known->second.shape == shape, "parameter ", path, ": expected its shape ",
                known->second.shape, " again, given ", shape);
    return Variable(known->second.leaf);
  }
  KETTE_CHECK(!values_.defined(), "parameter ", path,
              ": expected every parameter to be registered before materialize()");
  KETTE_CHECK(elements_ <= kMostElements - shape.elements(), "parameter ", path,
              ": expected at most ", kMostElements, " elements of all parameters, given ", shape,
              " beside ", elements_);
  const auto leaf = std::make_shared<Leaf>();
  leaf->name = path;
  by_path_[path] = {leaf, shape, init, 0};
  leaves_.push_back(leaf);
  elements_ += shape.elements();
  return Variable(leaf);
}

void ParamStore::allocate(DType dtype, Device device, Gradients gradients) {
  std::int64_t end = 0;
  for (const bool matrices : {true, false}) {
    for (const auto& leaf : leaves_) {
      Registered& registered = by_path_.at(leaf->name);
      if ((registered.shape.rank() >= 2) != matrices) continue;
      registered.begin = end;
      end += (registered.shape.elements() + kAlignment - 1) / kAlignment * kAlignment;
    }
    if (matrices) matrix_elements_ = end;
  }
  const bool rounds = dtype == DType::bf16;
  values_ = Tensor::zeros({end}, rounds ? DType::f32 : dtype, device);
  gradients_ = {};
  rounded_ = rounds ? Tensor::zeros({end}, dtype, device) : Tensor();
  for (const auto& leaf : leaves_) {
    const Registered& registered = by_path_.at(leaf->name);
    leaf->value = (rounds ? rounded_ : values_).view(registered.begin, registered.shape);
    leaf->frozen = true;
    leaf->gradient = {};
  }
  if (gradients == Gradients::kept) keep_gradients();
}

const Tensor& ParamStore::gradients() const {
  KETTE_CHECK(
      gradients_.defined(),
      "ParamStore: expected a store with gradients, given one that is frozen or not yet materialized");
  return gradients_;
}

void ParamStore::keep_gradients() {
  if (gradients_.defined() || !values_.defined()) return;
  gradients_ = Tensor::zeros(values_.shape(), values_.dtype(), values_.device());
  for (const auto& leaf : leaves_) {
    const Registered& registered = by_path_.at(leaf->name);
    leaf->frozen = false;
    leaf->gradient = gradients_.view(registered.begin, registered.shape);
  }
}

void ParamStore::materialize(std::uint64_t seed, DType dtype, Device device, Gradients gradients) {
  allocate(dtype, device, gradients);
  for (const auto& leaf : leaves_) {
    initialize(value_of(*leaf), by_path_.at(leaf->name).init, seed, leaf->name);
  }
  round();
}

void ParamStore::release() {
  values_ = gradients_ = rounded_ = {};
  for (const auto& leaf : leaves_) leaf->value = leaf->gradient = {};
}

void ParamStore::clear_gradients() {
  const Work work("clear_gradients", {}, {&gradients()});
  gradients_.zero();
  for (const auto& leaf : leaves_) leaf->cleared = !leaf->lent;
}

void ParamStore::round() const {
  if (!rounded_.defined()) return;
  on(values_.device(), [&](auto exec) { kernels::cast(exec, values_, rounded_); });
}

Tensor ParamStore::value_of(const Leaf& leaf) const {
  const Registered& registered = by_path_.at(leaf.name);
  return values_.view(registered.begin, registered.shape);
}

std::optional<std::string> ParamStore::find_non_finite(const Tensor& values,
                                                       std::int64_t begin) const {
  const std::optional<std::int64_t> bad =
      on(values.device(), [&](auto exec) { return kernels::first_non_finite(exec, values); });
  if (!bad) return std::nullopt;
  std::string name = "a gap between parameters";
  for (const auto& [path, registered] : by_path_) {
    const std::int64_t place = begin + *bad - registered.begin;
    if (place >= 0 && place < registered.shape.elements()) name = path;
  }
  const double value = values.view(*bad, {1}).to(Device{}).values<double>().front();
  return std::to_string(value) + " in " + name;
}

const Leaf* ParamStore::find(const std::string& path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : found->second.leaf.get();
}

}  // namespace kette

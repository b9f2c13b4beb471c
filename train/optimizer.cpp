#include "train/optimizer.h"

#include <algorithm>
#include <limits>

#include "tensor/kernels.h"
#include "train/adam.h"
#include "train/lion.h"

namespace kette {
namespace {

struct Known {
  OptimizerOptions options;  ///< its authors' settings
  /// By how many times its learning rate is smaller than that of adam, and its weight decay larger, so that the decay of
  /// a step stays the same.
  double slower;
  const char* about;
  std::unique_ptr<Optimizer> (*make)(ParamStore&, const OptimizerOptions&, const Shards&);
};

template <class Kind>
std::unique_ptr<Optimizer> make(ParamStore& store, const OptimizerOptions& options,
                                const Shards& shards) {
  return std::make_unique<Kind>(store, options, shards);
}

const Known kKnown[] = {
    {{},
     1,
     "Kingma and Ba 2015, with decoupled decay (AdamW); two moments a parameter",
     make<Adam>},
    // Section 5 of the paper: 3 to 10 times smaller.
    {{.kind = OptimizerKind::lion, .beta1 = 0.9, .beta2 = 0.99},
     10,
     "Chen et al. 2023; one moment a parameter, and by default a tenth of the preset's --lr and ten "
     "times its --weight-decay",
     make<Lion>}};

const Known& known(OptimizerKind kind) {
  for (const Known& one : kKnown) {
    if (one.options.kind == kind) return one;
  }
  fail("optimizer: expected a known one, given number ", static_cast<int>(kind));
}

/// State is as large as the values, so they come first.
const Tensor& values_of(const ParamStore& store) {
  KETTE_CHECK(store.values().defined(),
              "optimizer: expected parameters with values, given none (call materialize() first)");
  return store.values();
}

}  // namespace

OptimizerOptions OptimizerOptions::of(OptimizerKind kind) { return known(kind).options; }

bool OptimizerSetting::is_of(OptimizerKind kind) const {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

const std::vector<OptimizerSetting>& optimizer_settings() {
  using enum OptimizerKind;
  constexpr double kAny = std::numeric_limits<double>::infinity();
  static const std::vector<OptimizerSetting> settings = {
      {"beta1",
       &OptimizerOptions::beta1,
       0,
       true,
       1,
       {adam, lion},
       "adam: decay of the mean of gradients; lion: share of its moment in a step"},
      {"beta2",
       &OptimizerOptions::beta2,
       0,
       true,
       1,
       {adam, lion},
       "adam: decay of the mean of their squares; lion: decay of its moment, 0.99 by itself"},
      {"epsilon",
       &OptimizerOptions::epsilon,
       0,
       false,
       kAny,
       {adam},
       "adam alone: what is added to the root that divides a step"},
      {"weight_decay",
       &OptimizerOptions::weight_decay,
       0,
       true,
       kAny,
       {adam, lion},
       "Decoupled, of matrices"}};
  return settings;
}

std::string optimizers_in_words() {
  std::string text;
  for (const Known& one : kKnown) {
    text += (text.empty() ? "" : "; ") + enum_name(one.options.kind) + ": " + one.about;
  }
  return text;
}

void change_optimizer(OptimizerKind kind, OptimizerOptions& options, double& lr) {
  if (kind == options.kind) return;
  const double before = known(options.kind).slower, after = known(kind).slower;
  const double weight_decay = options.weight_decay * after / before;
  lr = lr * before / after;
  options = OptimizerOptions::of(kind);
  options.weight_decay = weight_decay;
}

Optimizer::Optimizer(ParamStore& store, const OptimizerOptions& options, const Shards& shards,
                     std::initializer_list<const char*> state)
    : store_(store), weight_decay_(options.weight_decay), shards_(shards) {
  const Tensor& values = values_of(store);
  for (const char* name : state) {
    state_.push_back({name, Tensor::zeros({shards.owned()}, values.dtype(), values.device())});
  }
}

void Optimizer::step(double lr, const Tensor& squares, double clip_norm) {
  UpdateArgs args;
  args.lr = lr;
  args.weight_decay = weight_decay_;
  args.squares = squares;
  args.clip_norm = clip_norm;
  args.step = ++steps_;
  shards_.for_pieces([&](const Interval& piece, const Interval& place) {
    const auto part = [&](const Tensor& flat) { return flat.slice(piece.begin, piece.end); };
    args.parameters = part(store_.values());
    args.gradients = part(store_.gradients());
    if (store_.rounded().defined()) args.rounded = part(store_.rounded());
    args.decayed =
        std::clamp<std::int64_t>(store_.matrix_elements() - piece.begin, 0, piece.size());
    std::vector<Tensor> state;
    for (const State& whole : state_) {
      state.push_back(whole.values.slice(place.begin, place.end));
    }
    update(args, state);
  });
}

std::unique_ptr<Optimizer> make_optimizer(ParamStore& store, const OptimizerOptions& options) {
  return make_optimizer(store, options, Shards(values_of(store).elements()));
}

std::unique_ptr<Optimizer> make_optimizer(ParamStore& store, const OptimizerOptions& options,
                                          const Shards& shards) {
  return known(options.kind).make(store, options, shards);
}

}  // namespace kette

// What moves parameters by their gradients: the flat buffers of a ParamStore, in one launch where one process owns all,
// or the pieces of them that a process owns (train/shards.h). A further optimiser is a class with a kernel, a name in
// OptimizerKind and its rows in optimizer.cpp; training, its files and the command line know it then.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "nn/param_store.h"
#include "tensor/enum_names.h"
#include "train/shards.h"

namespace kette {

struct UpdateArgs;  // tensor/kernels.h

enum class OptimizerKind : std::uint8_t { adam, lion };
template <>
inline constexpr auto kNamesOf<OptimizerKind> =
    enum_names<OptimizerKind>({{OptimizerKind::adam, "adam"}, {OptimizerKind::lion, "lion"}});

/// Which one, and the settings of all of them: each uses some (OptimizerSetting).
struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::adam;
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;  ///< Vaswani et al. 2017, section 5.3
  double weight_decay = 0;  ///< decoupled, of matrices alone: Loshchilov and Hutter 2019

  /// As the authors of that optimiser have it, without weight decay.
  static OptimizerOptions of(OptimizerKind kind);
};

/// A field of OptimizerOptions, for run files and command lines.
struct OptimizerSetting {
  const char* name;
  double OptimizerOptions::*value;
  /// Which values make sense: from `low` on, or above it, to below `below`.
  double low;
  bool with_low;
  double below;
  std::vector<OptimizerKind> kinds;  ///< those that use it
  const char* help;

  bool is_of(OptimizerKind kind) const;
};
const std::vector<OptimizerSetting>& optimizer_settings();

/// "adam: ...; lion: ...": what each is, with its source and what it takes, for people.
std::string optimizers_in_words();

/// Makes a recipe for one optimiser one for another: with that one's own settings, and a learning rate and a weight
/// decay as many times larger or smaller as its authors advise. Nothing changes if it is that optimiser already.
void change_optimizer(OptimizerKind kind, OptimizerOptions& options, double& lr);

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// One update; the gradients are left as they are.
  void step(double lr) { step(lr, Tensor(), 0); }
  /// Likewise with the gradients clipped to a norm. squares: what sum_of_squares() found of them,
  /// still on their device.
  void step(double lr, const Tensor& squares, double clip_norm);

  const ParamStore& parameters() const { return store_; }
  ParamStore& parameters() { return store_; }
  const Shards& shards() const { return shards_; }
  std::int64_t steps() const { return steps_; }
  void restore(std::int64_t steps) { steps_ = steps; }

  /// What it remembers, in the dtype of the parameters: flat like them, or their owned pieces end to end. A checkpoint
  /// stores it by these names.
  struct State {
    const char* name;
    Tensor values;
  };
  const std::vector<State>& state() const { return state_; }

 protected:
  /// state: names of what it remembers, all zeros at first.
  Optimizer(ParamStore& store, const OptimizerOptions& options, const Shards& shards,
            std::initializer_list<const char*> state);

 private:
  /// Of one piece. state: the piece's part of each of state().
  virtual void update(const UpdateArgs& args, std::span<const Tensor> state) = 0;

  ParamStore& store_;
  double weight_decay_;
  Shards shards_;
  std::vector<State> state_;
  std::int64_t steps_ = 0;
};

std::unique_ptr<Optimizer> make_optimizer(ParamStore& store, const OptimizerOptions& options);
/// Of the pieces that this process owns: what it remembers something of, and updates.
std::unique_ptr<Optimizer> make_optimizer(ParamStore& store, const OptimizerOptions& options,
                                          const Shards& shards);

}  // namespace kette

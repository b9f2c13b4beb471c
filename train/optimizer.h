// Optimisers update the flat buffers of a ParamStore: all of it in one launch, or the pieces that a process owns
// (train/shards.h). To add an optimiser, write a class with a kernel, a name in OptimizerKind and rows in
// optimizer.cpp. Training, its files and the command line then know it.
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

/// The optimiser and the settings of all optimisers. Each uses some of them (OptimizerSetting).
struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::adam;
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;  ///< Vaswani et al. 2017, section 5.3
  double weight_decay = 0;  ///< decoupled, for matrices only: Loshchilov and Hutter 2019

  /// The settings of the optimiser's authors, without weight decay.
  static OptimizerOptions of(OptimizerKind kind);
};

/// A field of OptimizerOptions, for run files and command lines.
struct OptimizerSetting {
  const char* name;
  double OptimizerOptions::*value;
  /// Valid values: from `low` (with_low) or above it, up to but not including `below`.
  double low;
  bool with_low;
  double below;
  std::vector<OptimizerKind> kinds;  ///< those that use it
  const char* help;

  bool is_of(OptimizerKind kind) const;
};
const std::vector<OptimizerSetting>& optimizer_settings();

/// "adam: ...; lion: ...": each optimiser with its source and memory, for people.
std::string optimizers_in_words();

/// Changes the optimiser of a recipe. Takes the settings of the new one, and scales learning rate and weight decay as
/// its authors advise. Does nothing if it is the same optimiser.
void change_optimizer(OptimizerKind kind, OptimizerOptions& options, double& lr);

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// One update. Does not change the gradients.
  void step(double lr) { step(lr, Tensor(), 0); }
  /// Likewise with the gradients clipped to a norm. squares: the result of sum_of_squares(), on the gradients' device.
  void step(double lr, const Tensor& squares, double clip_norm);

  const ParamStore& parameters() const { return store_; }
  ParamStore& parameters() { return store_; }
  const Shards& shards() const { return shards_; }
  std::int64_t steps() const { return steps_; }
  void restore(std::int64_t steps) { steps_ = steps; }

  /// The optimiser's state, in the dtype of the parameters: flat like them, or the owned pieces end to end. A
  /// checkpoint stores it by these names.
  struct State {
    const char* name;
    Tensor values;
  };
  const std::vector<State>& state() const { return state_; }

 protected:
  /// state: the names of its tensors, which start at zero.
  Optimizer(ParamStore& store, const OptimizerOptions& options, const Shards& shards,
            std::initializer_list<const char*> state);

 private:
  /// Updates one piece. state: the piece's part of each state().
  virtual void update(const UpdateArgs& args, std::span<const Tensor> state) = 0;

  ParamStore& store_;
  double weight_decay_;
  Shards shards_;
  std::vector<State> state_;
  std::int64_t steps_ = 0;
};

/// An Error if the parameters have no values yet.
std::unique_ptr<Optimizer> make_optimizer(ParamStore& store, const OptimizerOptions& options);
/// Keeps state of, and updates, only the pieces that this process owns.
std::unique_ptr<Optimizer> make_optimizer(ParamStore& store, const OptimizerOptions& options,
                                          const Shards& shards);

}  // namespace kette

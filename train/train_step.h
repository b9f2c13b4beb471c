// Training steps, for the trainer and the benchmarks: forward and backward over one or more batches, clipping, and the
// optimiser. The gradients of the batches are summed over a fixed tree (train/step_tree.h), so any number of processes
// may share them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "data/corpora/batches.h"
#include "models/model.h"
#include "tensor/backend.h"
#include "train/consistency.h"
#include "train/gradient_exchange.h"
#include "train/optimizer.h"

namespace kette {

/// Ends the messages about values that are not finite.
inline constexpr const char* kDivergenceAdvice =
    "; a lower learning rate, a longer warm-up or clipping may help, and --detect-anomaly names the "
    "op";

struct StepOptions {
  double lr = 1e-3;
  double label_smoothing = 0.1;
  double clip_norm = 0;    ///< 0: off
  std::uint64_t seed = 1;  ///< of the dropout masks and SimCut's cuts
  ConsistencyOptions consistency{};
  Tap* tap = nullptr;  ///< sees every forward pass
};

/// The batches of a step.
struct StepBatches {
  std::vector<TokenCounts> tokens;  ///< by batch
  /// Makes one batch, so that only one is in memory. Nothing: cancels the step.
  std::function<std::optional<Batch>(std::int64_t)> make;

  TokenCounts all_tokens() const;
  /// The batch of each leaf of the step tree.
  std::vector<std::int64_t> order() const;
};

struct StepResult {
  /// Mean over target tokens, smoothed, with the divergence of consistency training.
  double loss = 0;
  double negative_log_likelihood = 0;                 ///< mean over target tokens, not smoothed
  std::int64_t source_tokens = 0, target_tokens = 0;  ///< with </s>
  double gradient_norm = 0;                           ///< before clipping; 0 without clipping
};

/// A step in progress. A GPU works on it while the host prepares the next.
class StartedStep {
 public:
  /// Waits for the loss. Throws an Error if it is not finite; the parameters are then unusable.
  StepResult finish();
  /// Whether finish() would not wait.
  bool is_done() const { return report_->arrived(); }

 private:
  friend class TrainSteps;
  StepResult result_;
  std::int64_t number_ = 0, leaves_ = 0;
  // CrossEntropySums of each leaf, then the squared norm of the gradients.
  std::unique_ptr<HostCopy> report_;
};

/// Takes the steps of a run. Changes the optimiser's parameters: the model's, or those of adapters on a frozen model.
class TrainSteps {
 public:
  TrainSteps(const Model& model, Optimizer& optimizer,
             Communicator& communicator = Communicator::none());

  /// Starts a step. Returns nothing, and changes nothing, if make() cancels it.
  std::optional<StartedStep> start(const StepBatches& batches, const StepOptions& options);

 private:
  bool add_gradients(const StepBatches& batches, const StepOptions& options, const Tensor& losses);
  /// The squared norm of the gradients.
  void add_squares(const Tensor& squares);

  const Model& model_;
  Optimizer& optimizer_;
  Communicator& communicator_;
  GradientSums sums_;
  std::optional<GradientExchange> exchange_;  // with other processes
  Tensor squares_;  // the squared norms of blocks of the gradients, for clipping
};

/// A step with all batches in memory.
StepResult train_step(const Model& model, Optimizer& optimizer, std::span<const Batch> batches,
                      const StepOptions& options);

}  // namespace kette

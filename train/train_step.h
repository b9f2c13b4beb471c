// The optimiser's steps, shared by the trainer and the bench: forward and backward over one or more batches whose
// gradients add up as if they were one, over a fixed tree (train/step_tree.h), so that any number of processes may share
// them out; clipping, an optimiser.
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
    "; a lower learning rate, a longer warm-up or clipping may help, and --detect-anomaly names "
    "the "
    "op";

struct StepOptions {
  double lr = 1e-3;
  double label_smoothing = 0.1;
  double clip_norm = 0;    ///< 0: off
  std::uint64_t seed = 1;  ///< of the dropout masks, and of what SimCut leaves out
  ConsistencyOptions consistency{};
  Tap* tap = nullptr;  ///< looks into every forward pass
};

/// The batches whose gradients add up to a step's.
struct StepBatches {
  std::vector<TokenCounts> tokens;  ///< of each of them
  /// Makes one, so that no more are in memory. Nothing: the step is not to be.
  std::function<std::optional<Batch>(std::int64_t)> make;

  TokenCounts all_tokens() const;
  /// Which of them is which leaf.
  std::vector<std::int64_t> order() const;
};

struct StepResult {
  /// Mean over target tokens, smoothed, with what consistency training adds.
  double loss = 0;
  double negative_log_likelihood = 0;                 ///< mean over target tokens, not smoothed
  std::int64_t source_tokens = 0, target_tokens = 0;  ///< </s> counted
  double gradient_norm = 0;                           ///< before clipping; 0 where nothing clips
};

/// A step that has been given to the device. A GPU works on it while the host prepares the next.
class StartedStep {
 public:
  /// Waits for the loss. Throws an Error when it is not finite; the parameters are spoilt then.
  StepResult finish();
  /// Whether finish() would not wait.
  bool is_done() const { return report_->arrived(); }

 private:
  friend class TrainSteps;
  StepResult result_;
  std::int64_t number_ = 0, leaves_ = 0;
  std::unique_ptr<HostCopy>
      report_;  // CrossEntropySums of each leaf, then the squared norm of the gradients
};

/// Takes the steps of a run. Changes the optimiser's parameters: the model's own, or adapters on it, beside which its own should be
/// frozen.
class TrainSteps {
 public:
  TrainSteps(const Model& model, Optimizer& optimizer,
             Communicator& communicator = Communicator::none());

  /// Nothing, and nothing has changed, if a batch is not made.
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
  Tensor squares_;                            // of blocks of the gradients, where something clips
};

/// A step with all batches in memory.
StepResult train_step(const Model& model, Optimizer& optimizer, std::span<const Batch> batches,
                      const StepOptions& options);

}  // namespace kette

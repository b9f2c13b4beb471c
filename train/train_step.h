// One optimiser step, shared by the trainer and the bench: forward and backward over one or more
// batches whose gradients add up as if they were one, clipping, Adam.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "data/corpora/batches.h"
#include "models/model.h"
#include "tensor/backend.h"
#include "train/adam.h"
#include "train/consistency.h"

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

/// The batches whose gradients add up to a step's. They come one after the other, so that no more
/// than one is in memory.
struct StepBatches {
  std::int64_t target_tokens = 0;  ///< of all of them, </s> counted: what the loss is a mean over
  std::function<std::optional<Batch>()> next;  ///< nothing after the last
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
  friend std::optional<StartedStep> start_step(const Model&, Adam&, const StepBatches&,
                                               const StepOptions&);
  StepResult result_;
  std::int64_t number_ = 0;
  std::unique_ptr<HostCopy> report_;  // CrossEntropySums, and the squared norm of the gradients
};

/// Changes Adam's parameters: the model's own, or adapters on it, beside which its own should be frozen.
/// Nothing, and nothing has changed, if the batches ended before they had as many target tokens as they promised.
std::optional<StartedStep> start_step(const Model& model, Adam& adam, const StepBatches& batches,
                                      const StepOptions& options);
/// With all batches in memory.
StepResult train_step(const Model& model, Adam& adam, std::span<const Batch> batches,
                      const StepOptions& options);

/// What a model makes of batches without dropout.
struct Validation {
  double loss = 0;      ///< mean negative log likelihood per target token
  double accuracy = 0;  ///< share of the target tokens that are the likeliest of all
};
Validation validate(const Model& model, std::span<const Batch> batches);
inline double validation_loss(const Model& model, std::span<const Batch> batches) {
  return validate(model, batches).loss;
}

}  // namespace kette

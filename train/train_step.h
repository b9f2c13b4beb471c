// One optimiser step, shared by the trainer and the bench: forward and backward over one or more
// batches whose gradients add up as if they were one, clipping, Adam.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "data/batches.h"
#include "models/gpt.h"
#include "models/lora.h"
#include "models/transformer.h"
#include "tensor/backend.h"
#include "train/adam.h"

namespace kette {

/// What a step needs of a model, which must outlive it.
struct TrainedModel {
  ParamStore* parameters = nullptr;  ///< those that change
  std::int64_t width = 0;            ///< of the residual stream
  std::function<Variable(const Batch& batch, const CrossEntropyOptions& options, Run& run,
                         const Tensor& sums)>
      loss;

  TrainedModel(Transformer& model);  // NOLINT(google-explicit-constructor)
  TrainedModel(Gpt& model);          // NOLINT(google-explicit-constructor)
};

/// The same, but what changes are the adapters on it; its own parameters should be frozen.
inline TrainedModel with_adapters(TrainedModel model, LoraAdapters& adapters) {
  model.parameters = &adapters.parameters();
  return model;
}

struct StepOptions {
  double lr = 1e-3;
  double label_smoothing = 0.1;
  double clip_norm = 0;    ///< 0: off
  std::uint64_t seed = 1;  ///< of the dropout masks
};

struct StepResult {
  double loss = 0;                                    ///< mean over target tokens, smoothed
  double negative_log_likelihood = 0;                 ///< mean over target tokens, not smoothed
  std::int64_t source_tokens = 0, target_tokens = 0;  ///< </s> counted
  double gradient_norm = 0;                           ///< before clipping; 0 when it was not needed
};

/// A step that has been given to the device. A GPU works on it while the host prepares the next.
class StartedStep {
 public:
  /// Waits for the loss. Throws an Error when it is not finite; the parameters are spoilt then.
  StepResult finish();

 private:
  friend StartedStep start_step(const TrainedModel&, Adam&, std::span<const Batch>,
                                const StepOptions&);
  StepResult result_;
  std::int64_t number_ = 0;
  std::unique_ptr<HostCopy> sums_;
};

StartedStep start_step(const TrainedModel& model, Adam& adam, std::span<const Batch> batches,
                       const StepOptions& options);
inline StepResult train_step(const TrainedModel& model, Adam& adam, std::span<const Batch> batches,
                             const StepOptions& options) {
  return start_step(model, adam, batches, options).finish();
}

/// Mean negative log likelihood per target token over all batches, without dropout.
double validation_loss(const TrainedModel& model, std::span<const Batch> batches);

}  // namespace kette

// The options of a training run that do not depend on the task.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "models/lora.h"
#include "train/communicator.h"
#include "train/consistency.h"
#include "train/observer.h"
#include "train/optimizer.h"
#include "train/run_fingerprint.h"
#include "train/schedule.h"
#include "train/stages.h"
#include "train/validation_result.h"

namespace kette {

struct TrainOptions {
  std::filesystem::path out;  ///< the model directory
  Device device;
  /// The processes that share the batches of a step; must outlive the run.
  Communicator* communicator = &Communicator::none();
  DType precision = DType::f32;  ///< of the model; with bf16 the optimiser still uses f32

  // Fine-tuning
  std::filesystem::path from;  ///< a model directory to start from; empty: random values
  LoraOptions lora;            ///< rank > 0: trains adapters on `from`, which stays frozen

  // Limits: the first that is reached ends the run; 0: not set
  std::int64_t steps = 0, epochs = 0;
  double minutes = 0;
  std::int64_t patience = 0;  ///< validations without an improvement before stopping; 0: never

  /// The weights of the texts, by stage; empty: one mixture for the whole run.
  Stages stages{};

  // Optimisation
  std::int64_t batch_tokens = 4096;  ///< limit of the source tokens, and of the target tokens
  std::int64_t accumulate = 1;       ///< batches per step
  ScheduleOptions schedule;
  OptimizerOptions optimizer;
  double label_smoothing = 0.1;
  double clip_norm = 0;  ///< 0: off
  ConsistencyOptions consistency{};
  /// The decay of a moving average of the parameters, which is validated and saved in their place; 0: off.
  double ema = 0;

  // Validation and checkpoints
  std::string best_by = kByLoss;  ///< the criterion for the best model and for patience
  std::int64_t validate_every =
      0;                  ///< steps; 0: once per epoch or tenth of the run, if that is less
  std::int64_t keep = 0;  ///< checkpoints kept, one per validation; 0: max(5, average)
  /// At the end, the mean of this many last checkpoints becomes the model if it is better than the best one.
  std::int64_t average = 0;
  std::int64_t save_every_seconds = 300;  ///< the most work that a kill can lose

  std::uint64_t seed = 1;
  bool resume = false;      ///< continue the run in `out`, or start it if there is none
  bool force_data = false;  ///< resume even if data have changed
  /// Must outlive the run.
  std::vector<TrainObserver*> observers{};
  std::string configuration;  ///< saved beside the model as config.toml; empty: no file
  bool detect_anomaly = false;
  bool quiet = false;        ///< no progress line; the log is still written
  bool tensorboard = false;  ///< also log for TensorBoard (train/event_file.h)

  std::int64_t kept_checkpoints() const {
    return keep > 0 ? keep : std::max<std::int64_t>(5, average);
  }
  /// Throws an Error that names the invalid option.
  void check() const;
};

/// Adds the options that a resume must keep.
void add_to_fingerprint(const TrainOptions& options, RunFingerprint& fingerprint);

}  // namespace kette

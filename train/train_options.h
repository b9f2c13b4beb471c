// Everything that a training run needs to know, whatever it learns.
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
  /// With whom the batches of a step are shared out; outlives the run.
  Communicator* communicator = &Communicator::none();
  DType precision =
      DType::f32;  ///< what it computes in; with bf16 the optimiser still works in f32

  // Fine-tuning
  std::filesystem::path from;  ///< a model directory to start from; empty: from random values
  LoraOptions lora;            ///< rank > 0: trains adapters on `from`, whose values stay

  // How long: the first that is reached ends the run; 0: not set
  std::int64_t steps = 0, epochs = 0;
  double minutes = 0;
  std::int64_t patience = 0;  ///< validations without a better one before stopping; 0: never

  /// By what weights the texts are mixed, and until when; empty: in the same way from start to end.
  Stages stages{};

  // Optimisation
  std::int64_t batch_tokens = 4096;  ///< the larger of source and target tokens of a batch
  std::int64_t accumulate = 1;       ///< batches per step
  ScheduleOptions schedule;
  OptimizerOptions optimizer;
  double label_smoothing = 0.1;
  double clip_norm = 0;  ///< 0: off
  ConsistencyOptions consistency{};
  /// Decay of the moving average of the parameters that is validated and becomes the model; 0: the parameters
  /// themselves are.
  double ema = 0;

  // Validation and checkpoints
  std::string best_by = kByLoss;  ///< what the best model, and patience, go by
  std::int64_t validate_every =
      0;  ///< steps; 0: once an epoch, or a tenth of the run if that is less
  std::int64_t keep =
      0;  ///< last checkpoints kept, one per validation; 0: 5, or as many as are averaged
  /// At the end, the mean of this many last checkpoints becomes the model, if it is better than the best of them.
  std::int64_t average = 0;
  std::int64_t save_every_seconds = 300;  ///< how much work a kill can cost

  std::uint64_t seed = 1;
  bool resume = false;      ///< go on with the run in `out`, or start where there is none yet
  bool force_data = false;  ///< resume with data that have changed since
  /// They watch; all of them must outlive the run.
  std::vector<TrainObserver*> observers{};
  std::string configuration;  ///< kept beside the model as config.toml; empty: nothing is
  bool detect_anomaly = false;
  bool quiet = false;  ///< no progress line (the log is written all the same)

  std::int64_t kept_checkpoints() const {
    return keep > 0 ? keep : std::max<std::int64_t>(5, average);
  }
  /// Throws an Error that names the option that makes no sense.
  void check() const;
};

/// Those of them that must stay on a resume.
void add_to_fingerprint(const TrainOptions& options, RunFingerprint& fingerprint);

}  // namespace kette

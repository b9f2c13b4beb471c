// Everything a resume needs, in one file (training.safetensors of the model directory), so that a
// kill at any moment leaves one whole state or the earlier one: parameters, what the optimiser
// remembers, and the counters below as JSON in the metadata.
#pragma once

#include <filesystem>
#include <optional>

#include "data/corpora/sampler.h"
#include "train/communicator.h"
#include "train/optimizer.h"
#include "train/run_fingerprint.h"

namespace kette {

/// In the model directory.
inline constexpr const char* kTrainingState = "training.safetensors";

struct TrainingState {
  std::int64_t step = 0;
  Sampler::State sampler;
  std::int64_t last_validated = 0;                    ///< the step; 0: no validation yet
  std::optional<double> valid_loss, best_valid_loss;  ///< of the last validation; of the best model
  /// What that validation cost (train/validation_result.h).
  std::optional<double> best_cost;
  /// Patience goes by the validations that were due, and not by that of a run's end, after which another may go on.
  std::optional<double> best_due_cost;
  std::int64_t validations_since_best = 0;
  bool off_schedule = false;  ///< the last one was a run's end, and not due
  double seconds = 0;         ///< of training so far, over all runs
  double learning_rate = 0;   ///< of the last step; 0: not known
  RunFingerprint fingerprint;
  std::string run;  ///< RunFingerprint::id() of its start; "": of Kette up to 0.1.0
};

/// Of several processes the first writes it, the same for any number of them.
void save_training_state(const std::filesystem::path& file, const TrainingState& state,
                         const ParamStore& parameters, const Optimizer& optimizer,
                         const Tensor& moving_average = {},
                         Communicator& communicator = Communicator::none());
/// Throws unless the file was written for the same parameters, with a moving average if that is defined. Of several
/// processes each reads what it owns, and one checks the file.
TrainingState load_training_state(const std::filesystem::path& file, ParamStore& parameters,
                                  Optimizer& optimizer, const Tensor& moving_average = {},
                                  Communicator& communicator = Communicator::none());
/// The counters alone, at once and without a look at the tensors; nothing without a file.
std::optional<TrainingState> peek_training_state(const std::filesystem::path& file);

}  // namespace kette

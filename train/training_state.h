// Everything a resume needs, in one file (training.safetensors of the model directory): parameters, the
// optimiser's state, and the counters below as JSON in the metadata. A kill at any moment leaves either the
// new state or the earlier one.
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
  /// The cost of the best model (ValidationResult::cost).
  std::optional<double> best_cost;
  /// For patience. Only validations that were due count, not one at the end of a run, which may be resumed.
  std::optional<double> best_due_cost;
  std::int64_t validations_since_best = 0;
  bool validation_due = false;  ///< the validation at this step was not done, or given up
  bool off_schedule = false;    ///< the last validation was at the end of a run, and not due
  double seconds = 0;           ///< of training so far, over all runs
  double learning_rate = 0;     ///< of the last step; 0: not known
  RunFingerprint fingerprint;
  std::string run;  ///< RunFingerprint::id() of its start; "": from Kette up to 0.1.0
};

/// The first process writes the file. Its bytes do not depend on the number of processes.
void save_training_state(const std::filesystem::path& file, const TrainingState& state,
                         const ParamStore& parameters, const Optimizer& optimizer,
                         const Tensor& moving_average = {},
                         Communicator& communicator = Communicator::none());
/// Throws an Error unless the file has the same parameters, and a moving average if that is defined. Each process reads
/// what it owns; one checks the file.
TrainingState load_training_state(const std::filesystem::path& file, ParamStore& parameters,
                                  Optimizer& optimizer, const Tensor& moving_average = {},
                                  Communicator& communicator = Communicator::none());
/// Reads only the counters, not the tensors; nothing without a file.
std::optional<TrainingState> peek_training_state(const std::filesystem::path& file);

}  // namespace kette

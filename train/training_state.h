// Everything a resume needs, in one file (training.safetensors of the model directory), so that a
// kill at any moment leaves one whole state or the earlier one: parameters, Adam's moments, and the
// counters below as JSON in the metadata.
#pragma once

#include <filesystem>

#include "data/batch_sampler.h"
#include "train/adam.h"

namespace kette {

struct TrainingState {
  std::int64_t step = 0;
  BatchSampler::State sampler;
  double best_valid_loss = 0;  ///< 0: no validation yet
  std::int64_t validations_since_best = 0;
  double seconds = 0;  ///< of training so far, over all runs
  std::string recipe;  ///< what must be equal for a resume to be the same run, as JSON
};

void save_training_state(const std::filesystem::path& file, const TrainingState& state,
                         const ParamStore& parameters, const Adam& adam);
/// Throws unless the file was written for the same parameters and the same recipe; the message
/// names what differs.
TrainingState load_training_state(const std::filesystem::path& file, const std::string& recipe,
                                  ParamStore& parameters, Adam& adam);

}  // namespace kette

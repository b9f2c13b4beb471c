// Runs that were stopped and go on, beside those that were not.
#pragma once

#include <omp.h>

#include <filesystem>
#include <string>
#include <vector>

#include "data/files/safetensors.h"

namespace kette::testing {

/// What a run has come to.
inline std::vector<float> parameters_in(const std::filesystem::path& folder) {
  return SafetensorsFile::open(folder / "training.safetensors")
      .tensor("parameters")
      .values<float>();
}

/// Where its model was taken from.
inline std::string step_of_model(const std::filesystem::path& folder) {
  return SafetensorsFile::open(folder / "model.safetensors").metadata().at("step");
}

/// The run of these options, stopped after half of its steps; the other half is another run, on one thread.
/// Its options, with a folder of its own beside the given one.
template <class Options>
Options train_in_halves(const Options& whole) {
  Options halves = whole;
  halves.out = whole.out.parent_path() / "halves";
  halves.steps = whole.steps / 2;
  train(halves);
  halves.steps = whole.steps;
  halves.resume = true;
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  train(halves);
  omp_set_num_threads(threads);
  return halves;
}

}  // namespace kette::testing

// Checkpoint averaging (Vaswani et al. 2017, section 6.1: the last 5 checkpoints for the base
// model, 20 for the big one): the mean of the parameters of several files, summed in f64.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace kette {

/// An Error unless names and shapes of all files agree, their checksums match and their values are
/// finite. The files must have the same vocabulary and, unless `any_run`, be of the same training
/// run, as adapters must be in any case. The metadata of the result list the steps that were
/// averaged, and the run.
void average_checkpoints(const std::vector<std::filesystem::path>& files,
                         const std::filesystem::path& result, bool any_run = false);

/// The checkpoint folder of a model directory.
inline constexpr const char* kCheckpointFolder = "checkpoints";

/// The step-*.safetensors files of a model directory, in order of steps.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& model_folder);
/// The number in step-N.safetensors; -1 for another name.
std::int64_t step_of_checkpoint(const std::filesystem::path& file);
/// Whether average_checkpoints() wrote this file.
bool is_average(const std::filesystem::path& file);

}  // namespace kette

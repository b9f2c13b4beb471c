// Checkpoint averaging (Vaswani et al. 2017, section 6.1: the last 5 of the base model, 20 of the
// big one): the mean of the parameters of several files, summed in f64.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace kette {

/// Names and shapes of all files must agree, their checksums hold and their values be finite; and what they say of
/// themselves: of two vocabularies is an Error always, of two runs unless `any_run`. The metadata of the result say
/// which steps went in, and of which run.
void average_checkpoints(const std::vector<std::filesystem::path>& files,
                         const std::filesystem::path& result, bool any_run = false);

/// Where a model directory keeps its checkpoints.
inline constexpr const char* kCheckpointFolder = "checkpoints";

/// The step-*.safetensors files there, by rising step.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& model_folder);
/// The number in step-N.safetensors; -1 for another name.
std::int64_t step_of_checkpoint(const std::filesystem::path& file);
/// Whether average_checkpoints() wrote these parameters.
bool is_average(const std::filesystem::path& file);

}  // namespace kette

// Checkpoint averaging (Vaswani et al. 2017, section 6.1: the last 5 of the base model, 20 of the
// big one): the mean of the parameters of several files, summed in f64.
#pragma once

#include <filesystem>
#include <vector>

namespace kette {

/// Names and shapes of all files must agree, their checksums hold and their values be finite. The
/// metadata of the result say which steps went in.
void average_checkpoints(const std::vector<std::filesystem::path>& files,
                         const std::filesystem::path& result);

/// The step-*.safetensors files of a model directory's checkpoints folder, by rising step.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& model_folder);

}  // namespace kette

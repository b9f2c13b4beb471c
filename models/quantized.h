// Model directories in fewer bits: in their model.safetensors the matrices of linear maps and the tables
// of tokens lie in bf16, or in int8 with the scale of each row (tensor/int8_matrix.h) in a tensor
// PATH/scale beside; all else, which is little, is f32. They are to decode: what they hold is what
// products see of the model they were made from, which is to be kept for everything else.
#pragma once

#include <filesystem>

#include "models/model_directory.h"

namespace kette {

class SafetensorsFile;

/// A parameter as a model computes with it, f32 or bf16: of int8 the multiples of its scales, exactly. An
/// Error that names the path where scales are missing, of another shape, or not finite.
Tensor stored_parameter(const SafetensorsFile& file, const std::filesystem::path& path,
                        const std::string& name);

/// How many tensors of the file are scales of others.
std::int64_t scales_in(const SafetensorsFile& file);

/// An Error unless the matrices lie in f32. purpose: "train", ...
void expect_whole_weights(const Metadata& metadata, const std::filesystem::path& file,
                          const std::string& purpose);

/// Writes such a directory of a model, adapters merged. weights: bf16 or int8; parameters: another file
/// than the directory's own. A lexicon (data/corpora/lexicon.h) comes along.
void quantize_model(const std::filesystem::path& folder, const std::filesystem::path& out,
                    DType weights, const std::filesystem::path& parameters = {});

}  // namespace kette

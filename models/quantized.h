// Model directories with smaller weights. In model.safetensors the matrices of linear maps and the
// token embeddings are bf16, or int8 with a tensor PATH/scale, one scale a row
// (tensor/int8_matrix.h). Everything else is f32. These directories are for decoding only, and
// decode like the f32 model with rounded weights. Keep the f32 model for everything else.
#pragma once

#include <filesystem>

#include "models/model_directory.h"

namespace kette {

class SafetensorsFile;

/// A parameter as the model uses it, f32 or bf16. int8 values are multiplied by their scales,
/// exactly. An Error that names the path if scales are missing, have another shape, or are not
/// finite.
Tensor stored_parameter(const SafetensorsFile& file, const std::filesystem::path& path,
                        const std::string& name);

/// The number of tensors in the file that are scales.
std::int64_t scales_in(const SafetensorsFile& file);

/// An Error unless the matrices are f32. purpose: a verb for the Error: "train", ...
void expect_whole_weights(const Metadata& metadata, const std::filesystem::path& file,
                          const std::string& purpose);

/// Writes a quantized copy of a model directory, with adapters merged. weights: bf16 or int8.
/// parameters: another file than the directory's own. A lexicon (data/corpora/lexicon.h) is copied,
/// too.
void quantize_model(const std::filesystem::path& folder, const std::filesystem::path& out,
                    DType weights, const std::filesystem::path& parameters = {});

}  // namespace kette

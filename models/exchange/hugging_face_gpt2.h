// GPT2LMHeadModel of transformers: names, layouts and settings. Its linear maps are kept as
// [in, out]; what else differs from models/gpt.h is a setting, and an Error where it does.
#pragma once

#include "models/exchange/hugging_face_parts.h"
#include "models/model_directory.h"

namespace kette::hugging_face {

SavedModel<Gpt> read_gpt2(const std::filesystem::path& folder, const Settings& settings);
/// Throws if the model or its tokenizer has a form that GPT-2 has not.
void write_gpt2(const std::filesystem::path& folder, const SavedModel<Gpt>& saved);

}  // namespace kette::hugging_face

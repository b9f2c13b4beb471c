// LlamaForCausalLM and MistralForCausalLM of transformers: names, layouts and settings. Both turn
// element i of a head with element i + half, as autograd/ops/rotary.h does. What Kette lacks, such as
// scaled angles and biases, is an Error.
#pragma once

#include "models/exchange/hugging_face_parts.h"
#include "models/model_directory.h"

namespace kette::hugging_face {

SavedModel<Gpt> read_llama(const std::filesystem::path& folder, const Settings& settings);
/// Whether a model has the form of Llama, or with a window of Mistral.
bool is_llama(const GptConfig& config);
/// The first setting that is another than in that form; empty: there is none.
std::string setting_unlike_llama(const GptConfig& config);
/// Throws if its tokenizer is not GPT-2's.
void write_llama(const std::filesystem::path& folder, const SavedModel<Gpt>& saved);

}  // namespace kette::hugging_face

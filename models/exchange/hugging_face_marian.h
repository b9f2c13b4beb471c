// MarianMTModel of transformers: names and settings. Its positions are sines before cosines, its
// logits have a bias, its decoder starts with the padding; the rest is models/transformer.h. A model
// of Kette's with interleaved sinusoids is written in the other order (models/exchange/sinusoid_layout.h),
// and a joint tokenizer as both of MarianTokenizer's.
#pragma once

#include "models/exchange/hugging_face_parts.h"
#include "models/model_directory.h"

namespace kette::hugging_face {

SavedModel<Transformer> read_marian(const std::filesystem::path& folder, const Settings& settings);
/// How MarianTokenizer writes what Kette's vocabularies have as "<2de>": ">>de<<".
std::string marian_tag(const std::string& language);
/// Throws if the model has a form that Marian's models have not.
void write_marian(const std::filesystem::path& folder, const SavedModel<Transformer>& saved);

}  // namespace kette::hugging_face

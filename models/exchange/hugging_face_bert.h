// BertForMaskedLM, and what BertForPreTraining has beside it passed over.
#pragma once

#include "models/bert.h"
#include "models/exchange/hugging_face_files.h"
#include "models/model_directory.h"

namespace kette::hugging_face {

SavedModel<Bert> read_bert(const std::filesystem::path& folder, const Settings& settings);
void write_bert(const std::filesystem::path& folder, const SavedModel<Bert>& saved);

}  // namespace kette::hugging_face

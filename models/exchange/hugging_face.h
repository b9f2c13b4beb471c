// Imports models of Hugging Face's transformers as model directories, and exports them. Tokens are
// the same on both sides, and logits differ only by rounding.
//   GPT2LMHeadModel   a language model with GPT-2's tokenizer
//   LlamaForCausalLM, MistralForCausalLM
//                     later language models, here also with GPT-2's tokenizer
//   MarianMTModel     a translation model as of Marian (Junczys-Dowmunt et al. 2018), such as OPUS-MT.
//                     Kette exports a post-norm model with sinusoidal positions and one vocabulary, if
//                     its feed-forward layers have no gate and no heads are pruned
//   BertForMaskedLM   a masked language model with BERT's tokenizer
// Their folders have config.json, model.safetensors (or several files and an index) and the files
// of the tokenizer. An Error names every setting that changes the result and that the other side
// lacks. Dropout rates are copied if both sides have them. If the vocabulary is padded beyond the
// tokenizer's, the padding rows are dropped. If a file names a token for such a row, the token is
// imported, or it is an Error. Other files, and generation settings, are listed by name
// (models/exchange/hugging_face_notes.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/model_directory.h"

namespace kette {

/// Whether the config.json of a folder is one of transformers.
bool is_hugging_face(const std::filesystem::path& folder);
/// Loads one of their models into memory.
SavedModel<Model> load_hugging_face(const std::filesystem::path& folder);

/// For people.
struct ExchangeReport {
  std::string summary;  ///< what the model is
  /// What is missing or different on the other side, and how its target languages are asked for.
  std::vector<std::string> notes;
};

/// Both read everything before they write, and put the folder in place in one step. An Error if the
/// folder exists and is not empty.
ExchangeReport import_hugging_face(const std::filesystem::path& from,
                                   const std::filesystem::path& out);
ExchangeReport export_hugging_face(const std::filesystem::path& model,
                                   const std::filesystem::path& out);

}  // namespace kette

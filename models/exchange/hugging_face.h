// Models of Hugging Face's transformers become model directories of Kette, and the reverse: the
// same tokens, and logits that differ by rounding alone.
//   GPT2LMHeadModel   a language model with GPT-2's tokenizer
//   LlamaForCausalLM, MistralForCausalLM
//                     language models of a later form, here with GPT-2's tokenizer, too
//   MarianMTModel     a translation model in the form of Marian (Junczys-Dowmunt et al. 2018), such
//                     as OPUS-MT's; a post-norm model of Kette with sinusoidal positions and one vocabulary
//                     can take this form, if its feed-forward layers have no gate and its heads are whole
//   BertForMaskedLM   a masked language model with BERT's tokenizer
// A folder of theirs has config.json, model.safetensors (or several files and an index) and the
// files of its tokenizer. A setting that would change the result and that the other side lacks is
// an Error that names it. Dropout rates are carried over where both sides have one. Of a vocabulary that is padded beyond the
// tokenizer's, the rows of the padding are left out, unless a file names a token for one of them: that is taken over, or an
// Error. Other files, and settings of how text is written, are told by name (models/exchange/hugging_face_notes.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/model_directory.h"

namespace kette {

/// Whether the config.json of a folder is theirs.
bool is_hugging_face(const std::filesystem::path& folder);
/// One of their models, in memory.
SavedModel<Model> load_hugging_face(const std::filesystem::path& folder);

/// For a person to read.
struct ExchangeReport {
  std::string summary;             ///< what the model is
  std::vector<std::string> notes;  ///< what of it is not there, or otherwise, on the other side
};

/// Both read everything before they write, put the folder in place in one step, and refuse to replace
/// a folder that holds anything.
ExchangeReport import_hugging_face(const std::filesystem::path& from,
                                   const std::filesystem::path& out);
ExchangeReport export_hugging_face(const std::filesystem::path& model,
                                   const std::filesystem::path& out);

}  // namespace kette

// The option --tokenizer of a language model: its kind and the folder of its files.
#pragma once

#include <string>

#include "data/tokenizers/tokenizer.h"

namespace kette::cli {

/// The help text of the option.
inline constexpr const char* kTokenizerHelp =
    "byte, KIND:DIR (kinds: character, sentencepiece, gpt2, wordpiece, marian), or a folder whose files tell the kind";

/// Loads a tokenizer by name:
///   byte       needs no files
///   gpt2:DIR   a kind and the folder with its files
///   DIR        the same, with the kind found by the names of the files: a model directory, or one
///              of Hugging Face or of OpenAI for GPT-2
SharedTokenizer load_named_tokenizer(const std::string& name);

}  // namespace kette::cli

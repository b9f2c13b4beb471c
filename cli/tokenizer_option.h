// --tokenizer of a language model: which kind it is, and where its files are.
#pragma once

#include <string>

#include "data/tokenizers/tokenizer.h"

namespace kette::cli {

/// For the help of the option.
inline constexpr const char* kTokenizerHelp =
    "byte, KIND:DIR (kinds: character, sentencepiece, gpt2, wordpiece, marian), or a folder whose files tell the kind";

/// Loads what the text names:
///   byte       needs no files
///   gpt2:DIR   a kind and the folder with its files
///   DIR        the same, with the kind told by the names of the files: a model directory, or one
///              of Hugging Face's or OpenAI's for GPT-2
SharedTokenizer load_named_tokenizer(const std::string& name);

}  // namespace kette::cli

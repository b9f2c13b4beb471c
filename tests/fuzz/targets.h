// All targets by name; each stands in the file of that name.
#pragma once

#include "tests/fuzz/fuzz.h"

namespace kette::fuzz {

extern const Target adapters, characters, config_file, documents, gpt2_tokenizer, language_model,
    lexicon, log_lines, marian_model, marian_tokenizer, marked_text, model_config, gpt2_model,
    safetensors_file, safetensors_header, scores, sentencepiece, sentences, text_lines, token_file,
    training_state, translation_model, trees, unicode, wordpiece, words;

}  // namespace kette::fuzz

// All targets by name; each stands in the file of that name.
#pragma once

#include "tests/fuzz/fuzz.h"

namespace kette::fuzz {

extern const Target adapters, characters, config_file, corpus_check, documents, docx_document,
    gpt2_model, gpt2_tokenizer, html_document, language_model, lexicon, log_lines, mail_document,
    marian_model, marian_tokenizer, markdown_document, marked_text, model_config, parallel_table,
    po_document, prepared_pairs, safetensors_file, safetensors_header, scores, sentencepiece,
    sentences, subtitles, table_document, text_facts, text_lines, token_file, tokenizer_json,
    training_state, translation_model, trees, unicode, wordpiece, words, xml_document,
    libretranslate_request, deepl_request, openai_request;

}  // namespace kette::fuzz

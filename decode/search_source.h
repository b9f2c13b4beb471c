// What the search for one text starts from, and what it takes where nothing is asked for, whether the tokenizer writes
// text (decode/translator.h) or trees (decode/tree_parser.h).
#pragma once

#include <string>

#include "data/tokenizers/tokenizer.h"
#include "decode/translate_ids.h"

namespace kette {

/// options: their longest output becomes that of trees where those are written. A text that is too long for them is an
/// Error, unless it is one to translate.
SourceIds search_source(const Ensemble& model, const SharedTokenizer& tokenizer,
                        const std::string& text, const std::string& language,
                        SearchOptions& options);

/// What `kette translate`, or `kette parse`, takes.
SearchOptions usual_options(const Tokenizer& tokenizer);

}  // namespace kette

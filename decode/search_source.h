// The source and the default options of a search for one text, for tokenizers that write text
// (decode/translator.h) or trees (decode/tree_parser.h).
#pragma once

#include <string>

#include "data/tokenizers/tokenizer.h"
#include "decode/translate_ids.h"

namespace kette {

/// options: for trees the longest output is adapted. An Error if a tree's sentence is too long for
/// them; a text to translate is not checked.
SourceIds search_source(const Ensemble& model, const SharedTokenizer& tokenizer,
                        const std::string& text, const std::string& language,
                        SearchOptions& options);

/// The default options of `kette translate` or `kette parse`.
SearchOptions usual_options(const Tokenizer& tokenizer);

}  // namespace kette

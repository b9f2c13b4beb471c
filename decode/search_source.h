// What the search for one text starts from, and what it takes where nothing is asked for, whether the tokenizer writes
// text (decode/translator.h) or trees (decode/tree_parser.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decode/translator.h"

namespace kette {

struct SearchSource {
  std::vector<std::int32_t> ids;                 ///< without the end mark; of no words none
  std::shared_ptr<const Constraint> constraint;  ///< what keeps a tree one
};

/// options: their longest output becomes that of trees where those are written. A text that is too long for them is an
/// Error, unless it is one to translate.
SearchSource search_source(const Ensemble& model, const SharedTokenizer& tokenizer,
                           const std::string& text, const std::string& language,
                           SearchOptions& options);

/// What `kette translate`, or `kette parse`, takes.
TranslateOptions usual_options(const Tokenizer& tokenizer);

}  // namespace kette

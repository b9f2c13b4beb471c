// Sentences to constituency trees (Vaswani et al. 2017, section 6.3): a translation to symbols that is kept a
// tree at every step (decode/tree_constraint.h), whatever the model finds likely. Like translations, trees do
// not depend on what else is parsed with them, or on threads.
#pragma once

#include "data/trees/tree.h"
#include "decode/translate_ids.h"
#include "decode/tree_constraint.h"

namespace kette {

/// The paper's: a beam of 21, a length penalty of gnmt:0.3, output of at most source + 300.
SearchOptions parse_options();

/// What a parser reads of a sentence, and what its tree may be.
struct TreeSource {
  std::vector<std::string>
      words;  ///< as they stand in trees; of a line without words nothing else is there
  std::vector<std::int32_t> ids;
  std::int64_t longest = 0;  ///< symbols of the tree
};
/// An Error with the sentence's number where the model has no positions for it, or the options none for its tree.
TreeSource tree_source(const Ensemble& model, const TreeTokenizer& tokenizer,
                       const std::string& line, const SearchOptions& options, std::int64_t number);

struct Parse {
  Tree tree;  ///< of a line without words an empty one
  Hypothesis hypothesis;
};

class TreeParser {
 public:
  /// tokenizer: a TreeTokenizer; another is an Error. weights: what the model's are rounded to.
  TreeParser(const Ensemble& model, const SharedTokenizer& tokenizer,
             const DecodingTypes& types = {});

  /// The best tree of each line, words with spaces between them as in the Penn Treebank. Round brackets
  /// become -LRB- and -RRB-, as there. A sentence that the model has no positions for is an Error with
  /// its number. progress: of the lines with words.
  std::vector<Parse> parse(const std::vector<std::string>& lines,
                           const SearchOptions& options = parse_options(),
                           const WorkOptions& work = {},
                           const SentenceProgress& progress = {}) const;

 private:
  TreeTokenizer::Shared tokenizer_;
  Ensemble model_;
};

/// The tokenizer of a parser; that of another model is an Error that begins with `where`.
TreeTokenizer::Shared tree_tokenizer_of(const SharedTokenizer& tokenizer, const std::string& where);

}  // namespace kette

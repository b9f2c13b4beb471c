// Parses sentences to constituency trees (Vaswani et al. 2017, section 6.3): translates them to
// symbols that are constrained to a tree at every step (decode/tree_constraint.h). Trees do not
// depend on other sentences of the batch, nor on threads.
#pragma once

#include "data/trees/tree.h"
#include "decode/translate_ids.h"
#include "decode/tree_constraint.h"

namespace kette {

/// The paper's options: a beam of 21, a length penalty of gnmt:0.3, output of at most source + 300.
SearchOptions parse_options();

/// What a parser reads of a sentence, and the limit of its tree.
struct TreeSource {
  std::vector<std::string> words;  ///< as they are in trees; if there are none, so are the ids
  std::vector<std::int32_t> ids;
  std::int64_t longest = 0;  ///< most symbols of the tree
  /// Why there can be no tree: the sentence exceeds the model's positions, or its shortest tree
  /// exceeds the options.
  std::string fault{};
};
TreeSource tree_source(const Ensemble& model, const TreeTokenizer& tokenizer,
                       const std::string& line, const SearchOptions& options);

struct Parse {
  Tree tree;  ///< empty for a line without words, or with a fault
  Hypothesis hypothesis;
  std::string fault{};  ///< as TreeSource::fault
};

class TreeParser {
 public:
  /// tokenizer: an Error unless it is a TreeTokenizer. types: of weights and cache.
  TreeParser(const Ensemble& model, const SharedTokenizer& tokenizer,
             const DecodingTypes& types = {});

  /// The best tree of each line. Words are separated by spaces as in the Penn Treebank, and round
  /// brackets become -LRB- and -RRB-. A line with a fault does not affect the others. progress:
  /// counts lines that are parsed.
  std::vector<Parse> parse(const std::vector<std::string>& lines,
                           const SearchOptions& options = parse_options(),
                           const WorkOptions& work = {},
                           const SentenceProgress& progress = {}) const;
  /// Parse::fault of a line, without parsing it.
  std::string fault_of(const std::string& line, const SearchOptions& options) const;

 private:
  TreeTokenizer::Shared tokenizer_;
  Ensemble model_;
};

/// The tokenizer as a TreeTokenizer. An Error that begins with `where` if it is another.
TreeTokenizer::Shared tree_tokenizer_of(const SharedTokenizer& tokenizer, const std::string& where);

}  // namespace kette

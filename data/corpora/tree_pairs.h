// Trees as the pairs that a parser learns from: the words of each, and it as a line of symbols
// (data/trees/linear_tree.h). The tokenizer is one for them (data/tokenizers/tree_tokenizer.h).
#pragma once

#include "data/corpora/parallel_corpus.h"
#include "data/trees/tree.h"

namespace kette {

/// Of cleaned trees.
ParallelCorpus pairs_of_trees(const Treebank& trees, const SharedTokenizer& tokenizer,
                              const FilterOptions& options = {});
/// Of a file of trees, which are cleaned, by way of one of ids, as ParallelCorpus::load_or_make() does.
ParallelCorpus pairs_of_trees(const std::filesystem::path& trees, const SharedTokenizer& tokenizer,
                              const FilterOptions& options, const std::filesystem::path& pairs,
                              const TokenizeProgress& progress = {});

}  // namespace kette

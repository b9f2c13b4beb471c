#include "data/corpora/tree_pairs.h"

#include "data/files/file_fingerprint.h"
#include "data/trees/linear_tree.h"

namespace kette {
namespace {

using SharedTrees = std::shared_ptr<const Treebank>;

/// A line for each tree: what line_of(tree) gives.
PairEncoder::Lines lines_of(const SharedTrees& trees, std::string (*line_of)(const Tree&)) {
  const auto next = [trees, line_of, at = std::size_t{0}](std::size_t most) mutable {
    std::vector<std::string> lines;
    for (; at < trees->trees.size() && lines.size() < most; ++at) {
      lines.push_back(line_of(trees->trees[at]));
    }
    return lines;
  };
  return {trees->name, next, {}, {}, trees->lines};
}

PairEncoder encoder_of(Treebank trees, const SharedTokenizer& tokenizer,
                       const FilterOptions& options) {
  const auto shared = std::make_shared<const Treebank>(std::move(trees));
  return {lines_of(shared, sentence_of), lines_of(shared, linearised_line), tokenizer, options};
}

}  // namespace

ParallelCorpus pairs_of_trees(const Treebank& trees, const SharedTokenizer& tokenizer,
                              const FilterOptions& options) {
  return ParallelCorpus::from(encoder_of(trees, tokenizer, options), tokenizer);
}

ParallelCorpus pairs_of_trees(const std::filesystem::path& trees, const SharedTokenizer& tokenizer,
                              const FilterOptions& options, const std::filesystem::path& pairs,
                              const TokenizeProgress& progress) {
  const std::string made = made_of(file_fingerprint(trees) + "; trees; ", *tokenizer, options);
  const auto encoder = [&] { return encoder_of(cleaned(read_trees(trees)), tokenizer, options); };
  return ParallelCorpus::load_or_make(pairs, made, tokenizer, encoder, progress);
}

}  // namespace kette

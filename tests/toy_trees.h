// Trees of a grammar small enough to be learnt in seconds, and a tokenizer for them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/tokenizers/tree_tokenizer.h"
#include "tensor/random.h"

namespace kette::testing {

/// "(S (NP (DT the) (NN cat)) (VP (VBZ sees) (NP ...)) (. .))", one a line. A noun phrase may have another
/// one with a preposition in it.
inline std::string toy_trees(int lines, std::uint64_t seed) {
  Random random(seed);
  const auto one_of = [&](const std::vector<std::string>& words) {
    return words[static_cast<std::size_t>(random.below(std::ssize(words)))];
  };
  const auto noun_phrase = [&] {
    return "(NP (DT " + one_of({"the", "a", "this"}) + ") (NN " +
           one_of({"cat", "dog", "bird", "fish", "child"}) + "))";
  };
  const auto long_noun_phrase = [&] {
    const std::string first = noun_phrase();
    if (random.below(3) > 0) return first;
    return "(NP " + first + " (PP (IN " + one_of({"of", "with"}) + ") " + noun_phrase() + "))";
  };
  std::string text;
  for (int i = 0; i < lines; ++i) {
    text += "(S " + long_noun_phrase() + " (VP (VBZ " + one_of({"sees", "hears", "sleeps"}) + ")";
    if (random.below(2) == 0) text += " " + long_noun_phrase();
    text += ") (. .))\n";
  }
  return text;
}

/// With a few pieces and the symbols of these trees.
inline TreeTokenizer::Shared toy_tree_tokenizer(const Treebank& bank) {
  std::vector<std::string> sentences;
  for (const Tree& tree : bank.trees) sentences.push_back(sentence_of(tree));
  const std::vector<std::string_view> lines(sentences.begin(), sentences.end());
  SentencePieceOptions options;
  options.vocabulary = 60;
  return std::make_shared<TreeTokenizer>(SentencePieceTokenizer::train(lines, options),
                                         symbols_of(bank), bank.name);
}

}  // namespace kette::testing

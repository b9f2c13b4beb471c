// IBM Model 1 (Brown et al. 1993, "The Mathematics of Statistical Machine Translation", section 4.2):
// how likely a piece of the source becomes one of the target, learnt by EM from pairs without any
// alignment. Every target token comes from one of the source's, or from none (the null word, s_0), each
// of them as likely:
//   z_j = sum_i t(f_j | s_i)
//   count(f | s) = sum over all pairs, and over all i, j in them with s_i = s and f_j = f, of t(f | s) / z_j
//   t(f | s) = count(f | s) / sum_f' count(f' | s)
// which begins with t the same for all. Of each s no more than the likeliest are kept from one iteration
// to the next, so that memory is bounded by the vocabulary and not by the pairs. The result does not
// depend on the number of threads: all of a source piece is added up by one of them, in the order of
// the pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data/corpora/token_lists.h"

namespace kette {

struct Model1Options {
  std::int64_t iterations = 5;
  double least = 1e-6;        ///< a t below it is 0 from then on
  std::int64_t most = 1'000;  ///< target pieces that a source piece can have, but for the null word

  /// Throws an Error that names the option that makes no sense.
  void check() const;
};

/// t(target | a source piece).
struct LexicalTranslation {
  std::int32_t target;
  float probability;
};

/// Rising by target, for each source piece; behind them the null word.
using LexicalTable = std::vector<std::vector<LexicalTranslation>>;

/// Told now and then which share of all is done.
using Model1Progress = std::function<void(double share)>;

/// Sentence i of one side belongs to sentence i of the other. vocabulary: above all ids, of both sides.
LexicalTable ibm_model1(const TokenLists& source, const TokenLists& target, std::int64_t vocabulary,
                        const Model1Options& options = {}, const Model1Progress& progress = {});

}  // namespace kette

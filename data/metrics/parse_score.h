// Labelled brackets, counted as by evalb (Sekine and Collins 1997), with the counts of all
// sentences summed:
//   recall R = matched / gold brackets, precision P = matched / test brackets, F1 = 2 P R / (P + R)
// A bracket is (label, first word, last word + 1) of a constituent; a duplicate counts twice.
// Labels are cut at their first - or =. The parameters say which are ignored or equal
// (data/metrics/bracket_parameters.h). With Collins', ADVP and PRT are equal, and words tagged , :
// `` '' . or -NONE- are deleted before brackets are made, in gold by its tags and in test by its
// own. A bracket without words does not count, nor does a root (data/trees/tree.h) unless there is
// a parameter file, as in evalb. Sentences whose words then differ are errors and count nowhere. A
// parser that tags a comma as a noun loses nothing by that, so look at the errors beside the score.
// With gold_punctuation the words that gold deletes are deleted from both.
#pragma once

#include <cstdint>
#include <string>

#include "data/metrics/bracket_parameters.h"
#include "data/metrics/score_statistics.h"
#include "data/trees/tree.h"

namespace kette {

struct ParseScoreOptions {
  BracketParameters parameters;
  std::int64_t cutoff = 0;  ///< words of a sentence in the second block; 0: from the parameters
  bool gold_punctuation = false;
};

/// The counts of evalb.
struct ParseCounts {
  std::int64_t sentences = 0;
  std::int64_t errors = 0;   ///< of these: words differ between gold and test
  std::int64_t skipped = 0;  ///< of these: no words in test, as from a parser that found no tree
  std::int64_t matched = 0, gold = 0, test = 0;    ///< brackets
  std::int64_t complete = 0;                       ///< sentences with all brackets right
  std::int64_t crossing = 0;                       ///< test brackets that cross a gold bracket
  std::int64_t no_crossing = 0, few_crossing = 0;  ///< sentences with none, or at most two
  std::int64_t words = 0, correct_tags = 0;        ///< that were not deleted

  ParseCounts& operator+=(const ParseCounts& more);

  std::int64_t valid() const { return sentences - errors - skipped; }
  // In percent, except the mean.
  double recall() const;
  double precision() const;
  double f1() const;  ///< 0 without a match, where evalb prints nan
  double complete_match() const;
  double mean_crossing() const;
  double without_crossing() const;
  double with_few_crossing() const;
  double tagging_accuracy() const;
};

struct ParseScore {
  ParseCounts all, short_ones;             ///< short_ones: sentences of at most `cutoff` words
  std::string signature, short_signature;  ///< "evalb|prm:COLLINS|roots:no|micro|len<=all"
  ParseCounts rootless;                    ///< `all` without roots, if the parameters count roots
  std::int64_t lone_roots = 0;             ///< sentences whose roots match nothing
};

/// One sentence. The trees are as read, not cleaned.
ParseCounts parse_counts(const Tree& gold, const Tree& test, const ParseScoreOptions& options = {});

/// Compares tree n with tree n. Different numbers of trees, a gold tree without words, and more
/// errors than the parameters allow are Errors.
ParseScore parse_score(const Treebank& gold, const Treebank& test,
                       const ParseScoreOptions& options = {});

/// The same F1 with the counts of each sentence, for data/metrics/significance.h: whether two
/// parsers differ. A sentence that is one parser's error is left out of that parser's score only.
ScoreStatistics parse_statistics(const Treebank& gold, const Treebank& test,
                                 const ParseScoreOptions& options = {});

}  // namespace kette

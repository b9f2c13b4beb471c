// Labelled brackets, as evalb counts them (Sekine and Collins 1997), over the counts of all sentences:
//   recall = matched / brackets of gold,   precision = matched / brackets of test,   F1 = 2 P R / (P + R)
// A bracket is (label, first word, last word + 1) of a constituent; the same one twice counts twice. Of labels
// what follows the first - or = is of no account; which are left out or the same say the parameters
// (data/metrics/bracket_parameters.h): with Collins' ADVP and PRT are the same, and words that are tagged
// , : `` '' . or -NONE- are left out before brackets are made, in gold by its tags and in test by its own. A bracket without
// words is none, nor is a root (data/trees/tree.h), but with a parameter file, as in evalb. Sentences whose words differ then
// are errors and count nowhere: a parser that tags a comma as a noun loses nothing by it, so errors are to be looked at beside
// the score. With gold_punctuation the words that gold leaves out are left out of both.
#pragma once

#include <cstdint>
#include <string>

#include "data/metrics/bracket_parameters.h"
#include "data/metrics/score_statistics.h"
#include "data/trees/tree.h"

namespace kette {

struct ParseScoreOptions {
  BracketParameters parameters;
  std::int64_t cutoff = 0;  ///< of the second block: words of a sentence; 0: as the parameters say
  bool gold_punctuation = false;
};

/// What evalb adds up.
struct ParseCounts {
  std::int64_t sentences = 0;
  std::int64_t errors = 0;   ///< of them: other words, or more of them, in gold and test
  std::int64_t skipped = 0;  ///< of them: none in test, the mark of a parser that found no tree
  std::int64_t matched = 0, gold = 0, test = 0;    ///< brackets
  std::int64_t complete = 0;                       ///< sentences with all brackets right
  std::int64_t crossing = 0;                       ///< test brackets that cross one of gold
  std::int64_t no_crossing = 0, few_crossing = 0;  ///< sentences without, or with at most two
  std::int64_t words = 0, correct_tags = 0;        ///< that were not left out

  ParseCounts& operator+=(const ParseCounts& more);

  std::int64_t valid() const { return sentences - errors - skipped; }
  // In percent, but for the mean.
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
  ParseCounts all, short_ones;             ///< short_ones: of at most `cutoff` words
  std::string signature, short_signature;  ///< "evalb|prm:COLLINS|roots:no|micro|len<=all"
  ParseCounts rootless;                    ///< all without roots, where the parameters count them
  std::int64_t lone_roots = 0;             ///< sentences in which those match nothing
};

/// One sentence. Trees as they were read, not cleaned.
ParseCounts parse_counts(const Tree& gold, const Tree& test, const ParseScoreOptions& options = {});

/// Tree n of one against tree n of the other. Not equally many, a gold tree without words, or more errors than the parameters
/// allow is an Error.
ParseScore parse_score(const Treebank& gold, const Treebank& test,
                       const ParseScoreOptions& options = {});

/// The same F1 of all sentences, by what each adds to it: whether two parsers differ is then a matter of
/// data/metrics/significance.h, as it is of translations. A sentence that is an error of one of them counts nowhere
/// in that one's score alone.
ScoreStatistics parse_statistics(const Treebank& gold, const Treebank& test,
                                 const ParseScoreOptions& options = {});

}  // namespace kette

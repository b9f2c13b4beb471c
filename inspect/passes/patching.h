// Activation patching (Vig et al. 2020; Meng et al. 2022): of two texts that differ in one thing, what the one made a
// model compute is put into its pass over the other, point by point. Where that brings the one's word back, the
// difference travels.
//   recovered = (o(patched) - o(other)) / (o(one) - o(other)),   o = log P(word of one) - log P(word of other)
#pragma once

#include "data/tokenizers/tokenizer.h"
#include "inspect/activations.h"
#include "inspect/heads/attention_heads.h"

namespace kette {

/// Two texts of as many tokens, and where what follows them parts.
struct Counterfactual {
  std::vector<std::int32_t> one, other;  ///< the sources; without an encoder the texts
  std::vector<std::int32_t> prefix;      ///< what both targets begin with; without an encoder none
  std::int32_t word_of_one = 0, word_of_other = 0;  ///< what comes next

  /// Whether token `position` is another in the two.
  bool differs(std::int64_t position) const { return one[position] != other[position]; }
};

/// What is put in the place of what the pass over the other has there.
struct Patch {
  std::string point;
  std::int64_t row = -1;                       ///< of the sequence; -1: all
  std::int64_t first_column = 0, columns = 0;  ///< 0: all
};

struct PatchedOdds {
  double one = 0, other = 0;    ///< o of the two texts as they are
  std::vector<double> patched;  ///< with each patch

  double recovered(std::size_t patch) const { return (patched[patch] - other) / (one - other); }
};

/// Many patches at once, in one pass over as many copies of the other text.
PatchedOdds patched_odds(const AutoregressiveModel& model, const Counterfactual& pair,
                         const std::vector<Patch>& patches);

/// A mean over pairs, with the half width of its 95 % interval, by Student's t; NaN of one pair.
struct MeanOfPairs {
  double mean = 0, half_width = 0;
  std::int64_t pairs = 0;

  /// "0.443 +- 0.021", or of one pair the mean alone.
  std::string str(const char* plus_minus = "+-") const;
};

/// What a study of many pairs finds.
struct PatchStudy {
  /// Rows of a stack by what they are: the words that differ, those before, between and after, the end mark; of the
  /// target the words of the prefix, and the last, which predicts. Of a pair the mean over the words of a role counts.
  struct Place {
    Side side;
    std::string role;
    std::vector<MeanOfPairs>
        recovered;  ///< by level: of what the stack reads, then after each block
  };
  struct OfHead {
    Head head;
    MeanOfPairs recovered;
  };
  std::vector<AttentionPart> attentions;
  std::vector<Place> places;
  std::vector<OfHead> heads;
  std::int64_t pairs = 0, wrong = 0;  ///< used; left out, as the model has not both words right
  /// One pair, every position by itself: [levels][positions] of the source, or of the text.
  Counterfactual example;
  std::vector<std::vector<double>> example_grid;
};

using PatchProgress = std::function<void(std::int64_t done, std::int64_t total)>;
PatchStudy study_patches(const AutoregressiveModel& model, const std::vector<Counterfactual>& pairs,
                         const PatchProgress& progress = {});

/// What it found, of one pair word by word.
struct Report;
Report to_report(const PatchStudy& study, const Tokenizer& tokenizer);

}  // namespace kette

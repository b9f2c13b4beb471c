// Activation patching (Vig et al. 2020; Meng et al. 2022). Two prompts differ in one thing. An activation of the clean
// prompt replaces that of the corrupted prompt, one patch at a time. A patch that brings the clean answer back carries
// the difference.
//   recovered = (o(patched) - o(corrupted)) / (o(clean) - o(corrupted)),
//   o = log P(clean answer) - log P(corrupted answer)
#pragma once

#include "data/tokenizers/tokenizer.h"
#include "inspect/activations.h"
#include "inspect/heads/attention_heads.h"

namespace kette {

/// Two prompts with the same number of tokens and different answers.
struct PromptPair {
  std::vector<std::int32_t> clean, corrupted;  ///< sources; without an encoder texts
  std::vector<std::int32_t> prefix;  ///< the beginning of both targets; empty without an encoder
  std::int32_t clean_answer = 0, corrupted_answer = 0;  ///< the next token of each

  /// Whether the prompts differ at token `position`.
  bool differs(std::int64_t position) const { return clean[position] != corrupted[position]; }
};

/// The part of an activation that the clean prompt's values replace.
struct Patch {
  std::string point;
  std::int64_t row = -1;                       ///< of the sequence; -1: all
  std::int64_t first_column = 0, columns = 0;  ///< 0: all
};

struct PatchedOdds {
  double clean = 0, corrupted = 0;  ///< o of the prompts without a patch
  std::vector<double> patched;      ///< o of the corrupted prompt with each patch

  double recovered(std::size_t patch) const {
    return (patched[patch] - corrupted) / (clean - corrupted);
  }
};

/// Runs the corrupted prompt once for each patch, many copies in one pass. Throws an Error unless the prompts have the
/// same number of tokens, at least one.
PatchedOdds patched_odds(const AutoregressiveModel& model, const PromptPair& pair,
                         const std::vector<Patch>& patches);

/// A mean over pairs and the half width of its 95 % interval (Student's t; NaN for one pair).
struct MeanOfPairs {
  double mean = 0, half_width = 0;
  std::int64_t pairs = 0;

  /// "0.443 +- 0.021"; the mean alone for one pair.
  std::string str(const char* plus_minus = "+-") const;
};

/// The result of a study of many pairs.
struct PatchStudy {
  /// The rows of a stack that have one role. Roles of the prompt: the words that differ, those before, between and
  /// after them, the end mark. Roles of the target: the prefix, and the last word, which predicts. Words of one pair
  /// with the same role count as their mean.
  struct Place {
    Side side;
    std::string role;
    /// By level: the input of the stack, then the output of each block.
    std::vector<MeanOfPairs> recovered;
  };
  struct OfHead {
    Head head;
    MeanOfPairs recovered;
  };
  std::vector<AttentionPart> attentions;
  std::vector<Place> places;
  std::vector<OfHead> heads;
  std::int64_t pairs = 0;  ///< used
  std::int64_t wrong = 0;  ///< left out: the model does not get both answers right
  /// The first pair, with every position of its prompt alone: [levels][positions].
  PromptPair example;
  std::vector<std::vector<double>> example_grid;
};

using PatchProgress = std::function<void(std::int64_t done, std::int64_t total)>;
/// Patches every level at every row, and every head at all rows. Throws an Error if the model gets no pair right.
PatchStudy study_patches(const AutoregressiveModel& model, const std::vector<PromptPair>& pairs,
                         const PatchProgress& progress = {});

struct Report;
Report to_report(const PatchStudy& study, const Tokenizer& tokenizer);

}  // namespace kette

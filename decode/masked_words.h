// Uses a BERT (models/bert.h) to fill masks and to score texts. The score is that of Salazar et al.
// 2020, "Masked Language Model Scoring", equation (1): the sum over tokens of log P(token | all
// others), each computed with a mask in its place. The bits of a text's result do not depend on
// other texts.
#pragma once

#include <functional>
#include <vector>

#include "data/corpora/token_stream.h"
#include "decode/text_scorer.h"
#include "models/bert.h"

namespace kette {

struct Filler {
  std::int32_t token;
  double probability;
};

/// The `count` likeliest tokens for each mask of a text, likeliest first. Each mask is predicted
/// independently, with the other masks in place. text: with its special tokens. banned: tokens that
/// are never predicted. model: from for_decoding().
std::vector<std::vector<Filler>> fill_masks(const Bert& model,
                                            const std::vector<std::int32_t>& text,
                                            std::int32_t mask, std::int64_t count,
                                            const std::vector<std::int32_t>& banned = {});

struct PseudoScoreOptions {
  /// The most tokens of a text with special tokens; 0: the positions of the model.
  std::int64_t context = 0;
  std::int64_t batch_tokens = 8192;
};

/// The score of all documents of a corpus. Longer documents are cut into windows. End-of-text
/// tokens are not scored. TextScore::bytes: the size of the corpus.
TextScore score_masked(const Bert& model, const Tokenizer& tokenizer, const TokenStream& text,
                       const PseudoScoreOptions& options = {}, const ScoreProgress& progress = {},
                       const ShareParts& share = score_alone);

}  // namespace kette

// What a BERT (models/bert.h) says of texts: what may stand at a mask, and how likely a text is, by the
// score of Salazar et al. 2020, "Masked Language Model Scoring", equation (1): the sum over its tokens of
// log P(token | all others), each read with a mask in its place. What comes of a text is the same to
// the bit whatever is read beside it.
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

/// Of each mask of a text, given between its marks, the likeliest tokens, falling. Each mask is judged
/// by itself, while the others are masks, too. banned: tokens that are never among them.
/// model: made ready for decoding.
std::vector<std::vector<Filler>> fill_masks(const Bert& model,
                                            const std::vector<std::int32_t>& text,
                                            std::int32_t mask, std::int64_t count,
                                            const std::vector<std::int32_t>& banned = {});

struct PseudoScoreOptions {
  std::int64_t context = 0;  ///< most tokens of a text with its marks; 0: as many as the model sees
  std::int64_t batch_tokens = 8192;
};

/// Of the documents of a corpus, each cut into windows where it is too long. The end of a document is no
/// token of it. bytes: of the corpus.
TextScore score_masked(const Bert& model, const Tokenizer& tokenizer, const TokenStream& text,
                       const PseudoScoreOptions& options = {}, const ScoreProgress& progress = {},
                       const ShareParts& share = score_alone);

}  // namespace kette

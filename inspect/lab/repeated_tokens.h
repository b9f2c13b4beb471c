// Random texts with repeated segments, on which models learn induction heads.
#pragma once

#include "data/corpora/batches.h"
#include "models/autoregressive_model.h"
#include "tensor/random.h"

namespace kette {

/// Training text. A sequence repeats a random segment of random length until it is full. Within a segment, half of the
/// tokens are drawn from a few usual followers of the token before, as in a language. A model can predict these
/// without looking back.
struct RepeatedTokens {
  std::int64_t vocabulary = 64;
  std::int64_t length = 100;                ///< of a sequence
  std::int64_t shortest = 8, longest = 33;  ///< of a segment
  std::int64_t followers = 4;               ///< the number of usual followers of a token
  std::uint64_t seed = 1;

  /// `count` sequences, with the next token as the target.
  Batch batch(std::int64_t count, std::uint64_t number) const;
};

/// Negative log likelihood of each target token, in nats.
std::vector<double> token_losses(const AutoregressiveModel& model, const Batch& batch,
                                 Tap* tap = nullptr);

}  // namespace kette

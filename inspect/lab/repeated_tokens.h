// Texts without words in which something comes again: what induction heads learn from.
#pragma once

#include "data/corpora/batches.h"
#include "models/autoregressive_model.h"
#include "tensor/random.h"

namespace kette {

/// Text to train on. It is made of segments of random length, each of which comes again until the
/// sequence is full. Within a segment a token is, as often as not, one of a few that usually follow the one
/// before it, as in a language; that much a model can know without looking back.
struct RepeatedTokens {
  std::int64_t vocabulary = 64;
  std::int64_t length = 100;                ///< of a sequence
  std::int64_t shortest = 8, longest = 33;  ///< segment
  std::int64_t followers = 4;               ///< of each token
  std::uint64_t seed = 1;

  /// count sequences, each to be continued by one token.
  Batch batch(std::int64_t count, std::uint64_t number) const;
};

/// Negative log likelihood of each target token, in nats.
std::vector<double> token_losses(const AutoregressiveModel& model, const Batch& batch,
                                 Tap* tap = nullptr);

}  // namespace kette

// The likeliest next tokens of a model for given states. Probabilities of the whole vocabulary are
// never stored.
#pragma once

#include <vector>

#include "nn/layers.h"

namespace kette {

/// The likeliest next tokens of each row, and the log-probability of its target. Row-major.
struct Predictions {
  std::int64_t count = 0;  ///< likeliest tokens for each row
  std::vector<float> values;
  std::vector<std::int32_t> tokens;  ///< -1: there are no more
  std::vector<float> target_values;
};

/// Predictions by log softmax of a projection of states [rows, width]. masks: exclude tokens from
/// the likeliest. targets: i32 [rows].
Predictions predict(const PrepackedWeight& projection, const Tensor& states, std::int64_t count,
                    const TokenMasks& masks, const Tensor& targets);
/// output: from for_decoding().
inline Predictions predict(const Linear& output, const Tensor& states, std::int64_t count,
                           const TokenMasks& masks, const Tensor& targets) {
  return predict(*output.prepacked, states, count, masks, targets);
}

}  // namespace kette

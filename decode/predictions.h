// What a model predicts after some states: the likeliest next tokens, without ever writing the
// probabilities of all.
#pragma once

#include <vector>

#include "nn/layers.h"

namespace kette {

/// The likeliest next tokens of each row, and the log-probability of the one asked for.
struct Predictions {
  std::int64_t count = 0;  ///< likeliest tokens a row
  std::vector<float> values;
  std::vector<std::int32_t> tokens;  ///< -1: there are no more
  std::vector<float> target_values;
};

/// log softmax of a projection of states [rows, width]. masks: tokens outside are not among the
/// likeliest; targets: i32 [rows].
Predictions predict(const PrepackedWeight& projection, const Tensor& states, std::int64_t count,
                    const TokenMasks& masks, const Tensor& targets);
/// With a linear map made ready for decoding.
inline Predictions predict(const Linear& output, const Tensor& states, std::int64_t count,
                           const TokenMasks& masks, const Tensor& targets) {
  return predict(*output.prepacked, states, count, masks, targets);
}

}  // namespace kette

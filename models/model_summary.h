// What a Transformer of a given shape costs, by arithmetic alone (w = width, h = hidden, V =
// vocabulary):
//   attention        4 w^2 + 4 w parameters      2 parameters FLOPs a token (a multiplication and
//   an addition each) feed-forward     2 w h + h + w               and 4 w n FLOPs a token for
//   attention over n keys layer norm       2 w embedding        V w, shared with the projection to
//   the vocabulary: 2 V w FLOPs a target token
// Only matrix products count. Training costs three times the forward pass: each product has two in
// the backward pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/transformer.h"
#include "tensor/segments.h"

namespace kette {

/// One part of the model, or several alike.
struct SummaryRow {
  std::string part;
  std::int64_t count = 1;  ///< how many there are; the numbers below are of one
  std::int64_t parameters = 0;
  double source_flops = 0;  ///< forward, for each source token, without attention over keys
  double target_flops = 0;  ///< forward, for each target token, likewise
};

std::vector<SummaryRow> summarize(const TransformerConfig& config);
std::int64_t count_parameters(const TransformerConfig& config);

/// Matrix-product FLOPs of the forward pass over a batch, attention included: causal attention as
/// the pairs that are not masked.
double forward_flops(const TransformerConfig& config, const Segments& source,
                     const Segments& target);
inline double training_flops(const TransformerConfig& config, const Segments& source,
                             const Segments& target) {
  return 3 * forward_flops(config, source, target);
}

/// Bytes a parameter takes while training in f32: value, gradient and Adam's two moments.
inline constexpr std::int64_t kTrainingBytesPerParameter = 16;

}  // namespace kette

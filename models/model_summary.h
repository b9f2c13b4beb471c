// What a Transformer of a given shape costs, by arithmetic alone (w = width, h = hidden, V =
// vocabulary), in parameters:
//   attention      4 w^2 + 4 w
//   feed-forward   2 w h + h + w        with a gate 3 w h + 2 h + w
//   layer norm     2 w
//   embedding      V w, shared with the projection to the vocabulary
// A weight costs two FLOPs a token, a multiplication and an addition; attention over n keys 4 w n.
// Only matrix products count. Training costs three times the forward pass: each product has two in
// the backward pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/gpt_config.h"
#include "models/transformer_config.h"
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
/// All tokens are target tokens.
std::vector<SummaryRow> summarize(const GptConfig& config);
std::int64_t count_parameters(const std::vector<SummaryRow>& rows);
template <class Config>
std::int64_t count_parameters(const Config& config) {
  return count_parameters(summarize(config));
}

/// Matrix-product FLOPs of the forward pass over a batch, attention included: causal attention as
/// the pairs that are not masked.
double forward_flops(const TransformerConfig& config, const Segments& source,
                     const Segments& target);
double forward_flops(const GptConfig& config, const Segments& segments);
inline double training_flops(const TransformerConfig& config, const Segments& source,
                             const Segments& target) {
  return 3 * forward_flops(config, source, target);
}
inline double training_flops(const GptConfig& config, const Segments& segments) {
  return 3 * forward_flops(config, segments);
}

/// Bytes a parameter takes while training in f32: value, gradient and Adam's two moments.
inline constexpr std::int64_t kTrainingBytesPerParameter = 16;

}  // namespace kette

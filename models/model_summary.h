// What a model of a given shape costs, by arithmetic alone (w = width, h = hidden, V = vocabulary), in
// parameters:
//   attention      4 w^2 + 4 w
//   feed-forward   2 w h + h + w        with a gate 3 w h + 2 h + w
//   layer norm     2 w
//   embedding      V w, shared with the projection to the vocabulary
// A weight costs two FLOPs a token, a multiplication and an addition; attention over n keys 4 w n.
// Only matrix products count. Training costs three times the forward pass: each product has two in
// the backward pass.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tensor/segments.h"

namespace kette {

struct ModelConfig;

/// One part of the model, or several alike.
struct SummaryRow {
  std::string part;
  std::int64_t count = 1;  ///< how many there are; the numbers below are of one
  std::int64_t parameters = 0;
  double source_flops = 0;  ///< forward, for each source token, without attention over keys
  double target_flops = 0;  ///< forward, for each target token, likewise
};

// What rows and ModelConfig::attention_pairs() are made of.
/// Weights and biases of a linear map, and its FLOPs for a token.
std::int64_t linear_parameters(std::int64_t in, std::int64_t out, bool biased = true);
double linear_flops(std::int64_t in, std::int64_t out);
/// How many attentions `count` from `first` on are, counted by the heads that they have left.
double whole_attentions(const ModelConfig& config, std::int64_t first, std::int64_t count);
/// A row for `layers` attentions from `first` on, or a row for each if their heads were pruned. row_of: one
/// of an attention whose heads are so wide together.
std::vector<SummaryRow> attention_rows(const ModelConfig& config, std::int64_t first,
                                       std::int64_t layers,
                                       const std::function<SummaryRow(std::int64_t)>& row_of);
/// Query-key pairs without a mask, and with a causal one.
double pairs(const Segments& queries, const Segments& keys);
double causal_pairs(const Segments& segments);

std::int64_t count_parameters(const ModelConfig& config);
/// Matrix-product FLOPs of the forward pass over a batch, attention included: causal attention as
/// the pairs that are not masked. All tokens of a model without an encoder are target tokens.
double forward_flops(const ModelConfig& config, const Segments& source, const Segments& target);
inline double training_flops(const ModelConfig& config, const Segments& source,
                             const Segments& target) {
  return 3 * forward_flops(config, source, target);
}

/// Bytes a parameter takes while training in f32: value, gradient and an optimiser's two moments.
inline constexpr std::int64_t kTrainingBytesPerParameter = 16;

}  // namespace kette

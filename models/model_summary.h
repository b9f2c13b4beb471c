// What a model of a given shape costs, as its parameters say it: those of a model of one layer, which has no values
// and takes no memory to speak of, however large it is. A weight costs two FLOPs a token, a multiplication and an
// addition; attention over n keys 4 w n of width w. Only matrix products count. Training costs three times the
// forward pass: each product has two in the backward pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/segments.h"

namespace kette {

struct ModelConfig;

/// What summaries show together: the parameters at these paths (nn/param_store.h) of a model of one layer, and below
/// them. By whose tokens their matrices are multiplied: the sources', the targets', or none.
struct ModelPart {
  std::string name;
  std::vector<std::string> source{}, target{}, none{};
  std::int64_t count = 1;             ///< how many there are
  std::int64_t first_attention = -1;  ///< of ModelConfig::heads_left, where they are attentions
};

/// One part of the model, or several alike.
struct SummaryRow {
  std::string part;
  std::int64_t count = 1;  ///< how many there are; the numbers below are of one
  std::int64_t parameters = 0;
  double source_flops = 0;  ///< forward, for each source token, without attention over keys
  double target_flops = 0;  ///< forward, for each target token, likewise
};

/// A row for each part that has parameters, or one for each of its attentions if heads were pruned.
std::vector<SummaryRow> summary_of(const ModelConfig& config);

// What ModelConfig::attention_pairs() is made of.
/// How many attentions `count` from `first` on are, counted by the heads that they have left.
double whole_attentions(const ModelConfig& config, std::int64_t first, std::int64_t count);
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

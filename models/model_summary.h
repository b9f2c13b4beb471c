// What a model of a given shape costs. Counts come from the parameters of a model of one layer,
// which is built without values and takes almost no memory. A weight costs two FLOPs a token: a
// multiplication and an addition. Attention of width w over n keys costs 4 w n. Only matrix
// products count. Training costs three times the forward pass: each product has two in the backward
// pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/segments.h"

namespace kette {

struct ModelConfig;

/// One row of a summary: the parameters at and below these paths (nn/param_store.h) in a model of
/// one layer. Matrices below `source` are multiplied by source tokens, below `target` by target
/// tokens, below `none` by neither.
struct ModelPart {
  std::string name;
  std::vector<std::string> source{}, target{}, none{};
  std::int64_t count = 1;  ///< number of such parts
  /// Index in ModelConfig::heads_left, if the parts are attentions; -1: they are not.
  std::int64_t first_attention = -1;
};

/// One part of the model, or several equal ones.
struct SummaryRow {
  std::string part;
  std::int64_t count = 1;  ///< number of such parts; the numbers below are of one
  std::int64_t parameters = 0;
  double source_flops = 0;  ///< forward, for each source token, without attention over keys
  double target_flops = 0;  ///< forward, for each target token, without attention over keys
};

/// One row for each part that has parameters. If heads were pruned, attentions have a row each.
std::vector<SummaryRow> summary_of(const ModelConfig& config);

// Terms of ModelConfig::attention_pairs().
/// The number of attentions from `first` on, `count` of them, each counted by the fraction of its
/// heads that are left.
double whole_attentions(const ModelConfig& config, std::int64_t first, std::int64_t count);
/// The number of query-key pairs without a mask, and with a causal mask.
double pairs(const Segments& queries, const Segments& keys);
double causal_pairs(const Segments& segments);

std::int64_t count_parameters(const ModelConfig& config);
/// Matrix-product FLOPs of the forward pass over a batch, attention included. Causal attention
/// counts only unmasked pairs. In a model without an encoder all tokens are target tokens.
double forward_flops(const ModelConfig& config, const Segments& source, const Segments& target);
inline double training_flops(const ModelConfig& config, const Segments& source,
                             const Segments& target) {
  return 3 * forward_flops(config, source, target);
}

/// Bytes a parameter takes in training in f32: value, gradient and two moments of the optimiser.
inline constexpr std::int64_t kTrainingBytesPerParameter = 16;

}  // namespace kette

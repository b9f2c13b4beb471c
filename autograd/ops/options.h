// Options of ops, in a file of their own: layers and models pass them on.
#pragma once

#include <cstdint>
#include <optional>

#include "tensor/attention_pattern.h"
#include "tensor/linear_cross_entropy.h"
#include "tensor/random.h"

namespace kette {

/// For autograd/ops/attention.h and autograd/ops/linear_attention.h.
struct AttentionOptions {
  std::int64_t heads = 1;
  AttentionPattern pattern{};
  DropoutMask dropout{};  ///< of the probabilities; the paper has none

  std::int64_t key_heads() const { return heads / pattern.group; }
  /// The number of heads in a row [Q K V], and the width of its queries.
  std::int64_t heads_in_row() const { return heads + 2 * key_heads(); }
  std::int64_t query_width(std::int64_t row_width) const {
    return row_width / heads_in_row() * heads;
  }
};

/// For autograd/ops/linear_cross_entropy.h.
struct CrossEntropyOptions {
  double smoothing = 0;
  double scale = 1;  ///< e.g. 1 / tokens of the whole (accumulated) batch, for a mean
  std::optional<TwoViews> views{};  ///< each token comes twice
};

/// For autograd/ops/lora.h: rows [begin, end) of a weight [out, in], columns of its result.
struct RowBlock {
  std::int64_t begin = 0, end = 0;
  std::int64_t rows() const { return end - begin; }
};

}  // namespace kette

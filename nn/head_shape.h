// How the width of an attention is parted into heads.
#pragma once

#include <cstdint>

namespace kette {

/// `count` heads of width d_k: h and d_k of Vaswani et al. 2017, section 3.2.2. d_v is d_k, or `value_multiple` times
/// that. If d_v = n d_k, a head is computed as n heads of width d_k that share queries and keys, as all that computes
/// attention has heads of one width. The parameters are those of h heads; a cache has the keys of all.
struct HeadShape {
  std::int64_t count, width, value_multiple = 1;

  /// How many are computed.
  std::int64_t computed() const { return count * value_multiple; }
  /// Of the values of all heads. As wide as the model, unless some were pruned.
  std::int64_t total_width() const { return computed() * width; }
  /// Of the queries of all heads, as the parameters have them.
  std::int64_t query_width() const { return count * width; }
};

}  // namespace kette

// How the width of an attention is parted into heads.
#pragma once

#include <cstdint>

namespace kette {

/// So many heads, each so wide: h and d_k of Vaswani et al. 2017, section 3.2.2, where d_v is as large, or
/// `value_shares` times so. Values in shares of d_k columns are what so many heads with the same queries and keys
/// read, and that is how they are computed: by value_shares * h heads of width d_k, share by share, as all that
/// computes attention has heads of one width. The parameters are those of h heads; a cache has the keys of all.
struct HeadShape {
  std::int64_t count, width, value_shares = 1;

  /// How many are computed.
  std::int64_t computed() const { return count * value_shares; }
  /// Of the values of all heads. As wide as the model, unless some were pruned.
  std::int64_t total_width() const { return computed() * width; }
  /// Of the queries of all heads, as the parameters have them.
  std::int64_t query_width() const { return count * width; }
};

}  // namespace kette

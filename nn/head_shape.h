// How the width of an attention is divided into heads.
#pragma once

#include <cstdint>

namespace kette {

/// `count` heads: h of Vaswani et al. 2017, section 3.2.2. Queries and keys of a head have `width`
/// columns (d_k), its values `value_multiple` times as many (d_v). If d_v = n d_k, a head is
/// computed as n heads of width d_k that share queries and keys, because the kernels take heads of
/// one width. The parameters are those of h heads. A cache stores keys for all computed heads.
struct HeadShape {
  std::int64_t count, width, value_multiple = 1;

  /// The number of computed heads.
  std::int64_t computed() const { return count * value_multiple; }
  /// The width of the values of all heads together. It is the model's width unless heads were
  /// pruned.
  std::int64_t total_width() const { return computed() * width; }
  /// The width of the queries of all heads together, as the parameters have it.
  std::int64_t query_width() const { return count * width; }
};

}  // namespace kette

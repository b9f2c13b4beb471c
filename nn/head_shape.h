// How the width of an attention is parted into heads.
#pragma once

#include <cstdint>

namespace kette {

/// So many heads, each so wide: h and d_k = d_v of Vaswani et al. 2017, section 3.2.2. Together they are as wide
/// as the model, unless some were pruned.
struct HeadShape {
  std::int64_t count, width;

  std::int64_t total_width() const { return count * width; }
};

}  // namespace kette

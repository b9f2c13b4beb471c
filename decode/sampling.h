// Samples the next token from the distribution of a language model:
//   P(v) = softmax(logits / temperature)_v, of the top_k likeliest tokens alone (Fan et al. 2018),
//   and of those the likeliest that together reach top_p (Holtzman et al. 2020, section 3.1).
// Temperature 0 takes the likeliest token. The draw is a function of (seed, text, position)
// (tensor/random.h), so the same seed gives the same text on any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/decoding.h"

namespace kette {

struct SamplingOptions {
  double temperature = 1;
  std::int64_t top_k = 0;  ///< 0: all
  double top_p = 1;
  std::uint64_t seed = 1;

  /// Throws an Error that names the option that makes no sense.
  void check() const;
};

/// A row to sample: its options, and the number of its text.
struct Draw {
  const SamplingOptions* options = nullptr;
  std::int32_t text = 0;
};

/// The settings of these rows on a device.
DrawSettings draw_settings(const std::vector<Draw>& rows, Device device);

/// Samples a token for each row of logits [rows, vocabulary]. positions: i32 [rows], the position
/// of the draw. drawn: i32 [2, rows], for checked_draw().
void sample(const Tensor& logits, const DrawSettings& settings, const Tensor& positions,
            const Tensor& drawn);

/// Sets logits outside each row's mask so that these tokens are not sampled.
void mask_tokens(const Tensor& logits, const TokenMasks& masks);

/// The sampled token of a row, from `drawn` on the host. An Error if its logits were not finite.
std::int32_t checked_draw(const std::int32_t* drawn, std::int64_t rows, std::int64_t row);

}  // namespace kette

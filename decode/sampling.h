// The next token, drawn from what a language model predicts:
//   P(v) = softmax(logits / temperature)_v, of the top_k likeliest tokens alone (Fan et al. 2018),
//   and of those the likeliest that together reach top_p (Holtzman et al. 2020, section 3.1).
// Temperature 0 is the likeliest token. The draw is a function of (seed, text, position) alone
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

/// A row that is drawn: with what, and of which text.
struct Draw {
  const SamplingOptions* options = nullptr;
  std::int32_t text = 0;
};

/// For rows of these.
DrawSettings draw_settings(const std::vector<Draw>& rows, Device device);

/// Draws a token for each row of logits [rows, vocabulary], on their device, which goes on at positions[r], i32.
/// drawn: i32 [2, rows], for checked_draw().
void sample(const Tensor& logits, const DrawSettings& settings, const Tensor& positions,
            const Tensor& drawn);

/// Makes tokens outside of the row's mask such that they are not drawn.
void mask_tokens(const Tensor& logits, const TokenMasks& masks);

/// The token of a row, of what was drawn once it is on the host: an Error where the logits were not
/// finite, which nobody has looked at before.
std::int32_t checked_draw(const std::int32_t* drawn, std::int64_t rows, std::int64_t row);

}  // namespace kette

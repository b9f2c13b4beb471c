// Masks the logits of tokens that must not be drawn (TokenMasks in tensor/decoding.h):
//   z_v = -3e38, whose exponential is 0, for each v that is not in the row's mask
#pragma once

#include "tensor/scalar.h"

namespace kette::rows {

template <class T>
struct MaskTokens {
  using Element = T;
  T* logits;
  std::int64_t width;         // tokens of the vocabulary
  const std::int32_t* words;  // of all masks
  std::int64_t words_each;
  const std::int32_t* masks;  // of each row; null: the first

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    const std::int32_t* mask = words + (masks != nullptr ? masks[row] : 0) * words_each;
    T* line = logits + row * width;
    g.each(width, [=](std::int64_t v) {
      const auto word = static_cast<std::uint32_t>(mask[v / 32]);
      if ((word >> (v % 32) & 1u) == 0) line[v] = Compute<T>(-3e38f);
    });
  }
};

}  // namespace kette::rows

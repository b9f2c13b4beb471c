// exp on whole vectors, with fewer cases than the general form of scalar.h.
#pragma once

#include <bit>
#include <cstdint>

#include "tensor/cpu/vector.h"

namespace kette::cpu {

/// exp of x <= 0 with the polynomial of scalar::exp; at most 2e-38 below -87, where that gives 0.
inline Simd<float>::Vector exp_of_negative(Simd<float>::Vector x) {
  using Vector = Simd<float>::Vector;
  typedef std::int32_t Integers __attribute__((vector_size(kVectorBytes)));
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds; n is in the lowest bits
  x = Simd<float>::max(Vector{} - 87.0f, x);  // in this order a NaN stays a NaN
  const Vector shifted = x * 1.44269504088896341f + kRound;
  const Vector n = shifted - kRound;
  const Vector r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  Vector p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const Integers power = (std::bit_cast<Integers>(shifted) << 23) + 0x3f800000;
  return p * std::bit_cast<Vector>(power);
}

}  // namespace kette::cpu

// Scalar maths for both devices. Kernels call these functions only: on the host ::exp(float) is the
// double overload. The f32 forms here have no branches, so that loops over them vectorise.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "tensor/dtype.h"

namespace kette::scalar {

#ifndef __CUDA_ARCH__
/// exp for f32, to 2 units in the last place: 2^n * p(r) with n = round(x / ln 2), |r| <= ln 2 / 2.
inline float exp(float x) {
  constexpr float kLog2e = 1.44269504088896341f, kRound = 12582912.0f;  // 1.5 * 2^23
  constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  constexpr float kLeast = -87.3f, kMost = 88.72283f;  // beyond: 0 and infinity
  const float clamped = x < kLeast ? kLeast : (x > kMost ? kMost : x);
  const float shifted = clamped * kLog2e + kRound;  // rounds, and leaves n in the lowest bits
  const float n = shifted - kRound;
  const float r = (clamped - n * kLn2High) - n * kLn2Low;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  // n is added to the exponent of p. p is between sqrt(1/2) and sqrt(2): above 1 for the least n,
  // -126, and below 1 for the greatest, 128. So the result is a normal number.
  const float result = std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) +
                                            (std::bit_cast<std::uint32_t>(shifted) << 23));
  return x < kLeast ? 0.0f : (x > kMost ? INFINITY : (x == x ? result : x));
}
#else
KETTE_HOST_DEVICE inline float exp(float x) { return ::expf(x); }
#endif
KETTE_HOST_DEVICE inline double exp(double x) { return ::exp(x); }

KETTE_HOST_DEVICE inline float log(float x) { return ::logf(x); }
KETTE_HOST_DEVICE inline double log(double x) { return ::log(x); }
KETTE_HOST_DEVICE inline float sqrt(float x) { return ::sqrtf(x); }
KETTE_HOST_DEVICE inline double sqrt(double x) { return ::sqrt(x); }

/// tanh as 1 - 2 / (exp(2x) + 1), exact at both ends; near 0, where that cancels, by its odd
/// series.
template <class T>
KETTE_HOST_DEVICE inline T tanh(T x) {
  if constexpr (std::is_same_v<T, double>) {
    return ::tanh(x);
  } else {
    const T x2 = x * x;
    const T near = x * (T(1) + x2 * (T(-1) / 3 + x2 * (T(2) / 15 + x2 * (T(-17) / 315))));
    const T far = T(1) - T(2) / (scalar::exp(T(2) * x) + T(1));
    return x2 < T(0.04) ? near : far;
  }
}

template <class T>
KETTE_HOST_DEVICE inline T sigmoid(T x) {
  return T(1) / (T(1) + scalar::exp(-x));
}

/// The distribution function of the standard normal, erfc(-x / sqrt(2)) / 2. For f32 and z >= 0,
/// erfc(z) is t p(t) exp(-z^2) with t = 1 / (1 + 0.3275911 z), the form of Abramowitz and Stegun
/// 1964, 7.1.26; here p has degree 7 and is fitted for the least relative error on [0, 10], 1.4e-7.
template <class T>
KETTE_HOST_DEVICE inline T normal_cdf(T x) {
  constexpr double kRootHalf = 0.70710678118654752440;
  if constexpr (std::is_same_v<T, double>) {
    return 0.5 * ::erfc(-kRootHalf * x);
  } else {
    const T z = T(kRootHalf) * (x < T(0) ? -x : x);
    const T t = T(1) / (T(1) + T(0.3275911) * z);
    T p = T(-0.140646576);
    p = p * t + T(0.494507292);
    p = p * t + T(-0.401773904);
    p = p * t + T(0.449020521);
    p = p * t + T(0.02793123);
    p = p * t + T(0.205034288);
    p = p * t + T(0.18088605);
    p = p * t + T(0.185041234);
    const T beyond = T(0.5) * t * p * scalar::exp(-z * z);  // the tail beyond |x|
    return x < T(0) ? beyond : T(1) - beyond;
  }
}

/// For finding the largest value: a NaN counts as larger than any number, so that it is not lost.
template <class T>
KETTE_HOST_DEVICE inline bool is_larger(T a, T b) {
  return a > b || (a != a && b == b);
}

template <class T>
KETTE_HOST_DEVICE inline T max(T a, T b) {
  return a > b ? a : b;
}
template <class T>
KETTE_HOST_DEVICE inline T min(T a, T b) {
  return a < b ? a : b;
}

}  // namespace kette::scalar

// The widest vectors of the instruction set compiled for, by the vector extensions of GCC and
// clang: arithmetic on them is elementwise, and a scalar operand is broadcast.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "tensor/dtype.h"

namespace kette::cpu {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif
/// AVX-512 also has twice as many registers; aarch64 has as many, of 16 bytes.
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int kVectorRegisters = 32;
#else
inline constexpr int kVectorRegisters = 16;
#endif

template <class T>
struct Simd {
  static constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));
  typedef T Vector __attribute__((vector_size(kVectorBytes)));

  static Vector load(const T* from) {
    Vector vector;
    std::memcpy(&vector, from, sizeof vector);
    return vector;
  }
  static void store(T* to, const Vector& vector) { std::memcpy(to, &vector, sizeof vector); }
  /// The first `count` lanes of a vector, `otherwise` in the rest.
  static Vector first_lanes(const Vector& vector, std::int64_t count, T otherwise) {
    return kLaneIndices < static_cast<T>(count) ? vector : otherwise + Vector{};
  }
  static Vector max(const Vector& a, const Vector& b) { return a > b ? a : b; }

  /// The sum, or the maximum, of the lanes.
  static T sum_lanes(Vector vector) {
    fold<kLanes / 2>(vector, [](const Vector& a, const Vector& b) { return a + b; });
    return vector[0];
  }
  static T max_lanes(Vector vector) {
    fold<kLanes / 2>(vector, [](const Vector& a, const Vector& b) { return max(a, b); });
    return vector[0];
  }

  /// Lane i is the sum of the lanes of vectors[i].
  static Vector sums_of_lanes(Vector (&vectors)[kLanes]) {
    gather_sums<kLanes / 2>(vectors);
    return vectors[0];
  }

  /// Transposes a square of kLanes vectors: swaps blocks of half the size, then blocks within them.
  static void transpose(Vector (&rows)[kLanes]) { exchange<kLanes / 2>(rows); }

 private:
  static constexpr auto kLaneNumbers = std::make_integer_sequence<int, kLanes>{};

  template <int... lane>
  static constexpr Vector indices(std::integer_sequence<int, lane...>) {
    return Vector{static_cast<T>(lane)...};
  }
  static constexpr Vector kLaneIndices = indices(kLaneNumbers);

  template <int distance, int... lane>
  static Vector rotate(const Vector& a, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(a, a, ((lane + distance) % kLanes)...);
  }
  template <int distance, class Combine>
  static void fold(Vector& vector, const Combine& combine) {
    vector = combine(vector, rotate<distance>(vector, kLaneNumbers));
    if constexpr (distance > 1) fold<distance / 2>(vector, combine);
  }

  /// For each pair of neighbouring blocks: a's first and b's first (below: a's second and b's
  /// second).
  template <int size, int... lane>
  static Vector first_blocks(const Vector& a, const Vector& b,
                             std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(a, b, (lane & size ? kLanes + lane - size : lane)...);
  }
  template <int size, int... lane>
  static Vector second_blocks(const Vector& a, const Vector& b,
                              std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(a, b, (lane & size ? kLanes + lane : lane + size)...);
  }
  template <int size>
  static void exchange(Vector (&rows)[kLanes]) {
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) {
      if (i & size) continue;
      const Vector a = rows[i], b = rows[i + size];
      rows[i] = first_blocks<size>(a, b, kLaneNumbers);
      rows[i + size] = second_blocks<size>(a, b, kLaneNumbers);
    }
    if constexpr (size > 1) exchange<size / 2>(rows);
  }
  /// Like exchange(), for the sums of the rows only: each step halves the rows.
  template <int size>
  static void gather_sums(Vector (&rows)[kLanes]) {
#pragma GCC unroll 16
    for (int i = 0; i < size; ++i) {
      const Vector a = rows[i], b = rows[i + size];
      rows[i] = first_blocks<size>(a, b, kLaneNumbers) + second_blocks<size>(a, b, kLaneNumbers);
    }
    if constexpr (size > 1) gather_sums<size / 2>(rows);
  }
};

/// Contiguous elements as f32.
inline Simd<float>::Vector load_floats(const float* from) { return Simd<float>::load(from); }
inline Simd<float>::Vector load_floats(const BFloat16* from) {
  typedef std::uint16_t Halves __attribute__((vector_size(kVectorBytes / 2)));
  typedef std::uint32_t Words __attribute__((vector_size(kVectorBytes)));
  Halves halves;
  std::memcpy(&halves, from, sizeof halves);
  return std::bit_cast<Simd<float>::Vector>(__builtin_convertvector(halves, Words) << 16);
}

/// The 64-bit products of the low half of each lane of a with b.
template <class Lanes>
Lanes multiply_low_halves(const Lanes& a, std::uint32_t b) {
  [[maybe_unused]] const Lanes factor = Lanes{} + b;
  static_assert(sizeof(Lanes) == kVectorBytes && sizeof(a[0]) == 8);
  // The vector extensions have only products of whole lanes, which take several times as long.
#if defined(__AVX512F__)
  // With a mask of all lanes; without it g++ 12 warns about its own header (GCC bug 105593).
  return (Lanes)_mm512_maskz_mul_epu32(0xff, (__m512i)a, (__m512i)factor);
#elif defined(__AVX2__)
  return (Lanes)_mm256_mul_epu32((__m256i)a, (__m256i)factor);
#elif defined(__SSE2__) && !defined(__AVX__)
  return (Lanes)_mm_mul_epu32((__m128i)a, (__m128i)factor);
#elif defined(__aarch64__)
  return (Lanes)vmull_u32(vmovn_u64((uint64x2_t)a), vdup_n_u32(b));
#else
  return (a & 0xffffffffu) * factor;
#endif
}

}  // namespace kette::cpu

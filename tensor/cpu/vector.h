// Vectors of the widest kind that the compiled-for instruction set has, by the vector extensions
// that GCC and clang share: arithmetic on them is elementwise, a scalar operand is broadcast.
#pragma once

#include <cstring>

namespace kette::cpu {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif
/// AVX-512 doubled the number of registers, too.
inline constexpr int kVectorRegisters = kVectorBytes == 64 ? 32 : 16;

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
};

}  // namespace kette::cpu

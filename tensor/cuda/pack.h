// Elements loaded and stored at once: 16 bytes, the most of one thread.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <initializer_list>

namespace kette::cuda {

inline constexpr int kPackBytes = 16;
template <class T>
inline constexpr int kPack = kPackBytes / static_cast<int>(sizeof(T));

/// kCount is kPack<T>, or 1 if elements do not come in packs.
template <class T, int kCount = kPack<T>>
struct alignas(kCount * sizeof(T)) Pack {
  T values[kCount] = {};

  // `pack` is an index from `from` or `to` on, so that the compiler knows the alignment.
  __device__ static Pack load(const T* from, std::int64_t pack) {
    return *reinterpret_cast<const Pack*>(from + pack * kCount);
  }
  __device__ void store(T* to, std::int64_t pack) const {
    *reinterpret_cast<Pack*>(to + pack * kCount) = *this;
  }
};

/// Four elements, by an address that is aligned to them.
__device__ inline float4 four(const float* from) { return *reinterpret_cast<const float4*>(from); }

/// Whether all counts of elements are whole packs and all addresses are aligned to packs.
template <class T>
bool whole_packs(std::initializer_list<std::int64_t> counts,
                 std::initializer_list<const void*> addresses) {
  for (const std::int64_t count : counts) {
    if (count % kPack<T> != 0) return false;
  }
  for (const void* address : addresses) {
    if (reinterpret_cast<std::uintptr_t>(address) % kPackBytes != 0) return false;
  }
  return true;
}

}  // namespace kette::cuda

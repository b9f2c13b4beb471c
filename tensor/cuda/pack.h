// Elements that are loaded and stored at once: 16 bytes, the widest a thread can.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <initializer_list>

namespace kette::cuda {

inline constexpr int kPackBytes = 16;
template <class T>
inline constexpr int kPack = kPackBytes / static_cast<int>(sizeof(T));

/// kCount is kPack<T>, or 1 where elements do not come in packs.
template <class T, int kCount = kPack<T>>
struct alignas(kCount * sizeof(T)) Pack {
  T values[kCount] = {};

  // `pack` counts from `from` or `to` on, so that the compiler sees that it is aligned.
  __device__ static Pack load(const T* from, std::int64_t pack) {
    return *reinterpret_cast<const Pack*>(from + pack * kCount);
  }
  __device__ void store(T* to, std::int64_t pack) const {
    *reinterpret_cast<Pack*>(to + pack * kCount) = *this;
  }
};

/// Whether all these counts of elements and addresses are whole packs.
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

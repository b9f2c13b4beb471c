// Elements that are loaded and stored at once: 16 bytes, the widest a thread can.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace kette::cuda {

inline constexpr int kPackBytes = 16;
template <class T>
inline constexpr int kPack = kPackBytes / static_cast<int>(sizeof(T));

template <class T, int kCount = kPack<T>>
struct alignas(kCount * sizeof(T)) Pack {
  T values[kCount];
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

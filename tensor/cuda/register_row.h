// The group for a row body whose rows come in packs of 16 bytes: a warp, whose lanes hold the row
// in registers. Lane l has the packs l, l + 32, l + 64 ...; a pass of the warp is 32 packs.
#pragma once

#include "tensor/cuda/launch.h"
#include "tensor/cuda/pack.h"
#include "tensor/random.h"

namespace kette::cuda {

/// The index of an element that a lane holds.
struct Place {
  int pass, element;
};

/// The elements that a lane holds.
template <class T, int kPasses, int kCount>
struct RegisterRow {
  Pack<T, kCount> packs[kPasses];

  __device__ T& operator[](Place j) { return packs[j.pass].values[j.element]; }
  __device__ const T& operator[](Place j) const { return packs[j.pass].values[j.element]; }
};

/// Their dropout mask: bit e of pass p.
template <int kPasses>
struct RegisterMask {
  unsigned kept[kPasses];
  float scale;

  __device__ float operator()(Place j) const {
    return kept[j.pass] >> j.element & 1 ? scale : 0.0f;
  }
};

/// T: the body's Element.
template <class T, int kPasses>
struct RegisterGroup {
  static constexpr int kCount = kPack<T>;
  static constexpr std::int64_t kPassWidth = kWarp * kCount;
  template <class Element>
  using Row = RegisterRow<Element, kPasses, kCount>;

  __device__ static int lane() { return static_cast<int>(threadIdx.x % kWarp); }
  __device__ static std::int64_t pack(int pass) { return pass * kWarp + lane(); }

  template <class Function>
  __device__ void each(std::int64_t width, const Function& function) const {
    KETTE_UNROLL for (int pass = 0; pass < kPasses; ++pass) {
      if (pack(pass) * kCount >= width) break;
      KETTE_UNROLL for (int e = 0; e < kCount; ++e) function(Place{pass, e});
    }
  }
  template <class C, class Function>
  __device__ C sum(std::int64_t width, const Function& value) const {
    C result = 0;
    each(width, [&](Place j) { result += value(j); });
    return warp_sum(result);
  }
  template <class Function>
  __device__ void once(const Function& function) const {
    if (lane() == 0) function();
  }

  __device__ Row<T> read(const T* row, std::int64_t width) const {
    Row<T> result;
    KETTE_UNROLL for (int pass = 0; pass < kPasses; ++pass) {
      if (pack(pass) * kCount < width) result.packs[pass] = Pack<T>::load(row, pack(pass));
    }
    return result;
  }
  __device__ Row<T> write(const T*, std::int64_t) const { return {}; }
  __device__ Row<T> update(const T* row, std::int64_t width) const { return read(row, width); }
  __device__ void store(const Row<T>& values, T* row, std::int64_t width) const {
    KETTE_UNROLL for (int pass = 0; pass < kPasses; ++pass) {
      if (pack(pass) * kCount < width) values.packs[pass].store(row, pack(pass));
    }
  }

  /// Sixteen lanes share 128 elements, and each draws one Philox block, for 8 of them; ballots then
  /// give each lane the bits of its own neighbouring elements.
  __device__ RegisterMask<kPasses> mask(const DropoutMask& mask, std::int64_t row,
                                        std::int64_t width) const {
    constexpr int kBlocks = 16, kSlots = 8;                   // of DropoutMask, for 128 elements
    constexpr int kLanesPerSlot = kBlocks / kCount;           // neighbours in one ballot
    constexpr int kGroups = kPassWidth / (kBlocks * kSlots);  // of 128 elements: one or two
    static_assert(kGroups == 1 || kGroups == 2);
    const int block = lane() % kBlocks, group = kGroups == 1 ? 0 : lane() / kBlocks;
    const int my_slot = lane() / kLanesPerSlot % kSlots;
    const int shift = group * kBlocks + lane() % kLanesPerSlot * kCount;
    RegisterMask<kPasses> result{{}, mask.scale};
    KETTE_UNROLL for (int pass = 0; pass < kPasses; ++pass) {
      const std::int64_t drawn = (pass * kGroups + group) * kBlocks * kSlots + block;
      const auto words = philox(mask.key, DropoutMask::block(row, drawn, width));
      unsigned mine = 0;
      KETTE_UNROLL for (int slot = 0; slot < kSlots; ++slot) {
        const bool kept = mask.choose(words, slot * kBlocks) != 0;
        const unsigned votes = __ballot_sync(0xffffffffu, kept);
        if (slot == my_slot) mine = votes;
      }
      result.kept[pass] = mine >> shift;
    }
    return result;
  }
};

/// Sums over the rows that a warp has seen: kSums for each element that a lane holds.
template <class T, int kPasses, int kSums>
struct RegisterSums {
  using Row = RegisterRow<Compute<T>, kPasses, kPack<T>>;
  Row rows[kSums];
  __device__ Row& operator[](int k) { return rows[k]; }
};

}  // namespace kette::cuda

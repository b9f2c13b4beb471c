// The dropout mask of attention's probabilities, for a tile of queries and keys. Philox block
// (query, key / 128, key % 16) has 16 bits for each of eight keys, 16 apart (tensor/random.h). The
// division by the keep rate is done once, at the end.
#pragma once

#include "tensor/cuda/attention_head.h"

namespace kette::cuda {

inline constexpr int kMaskKeys = 128;  // keys of one row of Philox blocks

/// Which of a block's eight elements are kept, one bit each.
template <class T>
__device__ unsigned kept_of_block(const AttentionHead<T>& head, int query, int key_group,
                                  int key_of_16) {
  const DropoutMask& mask = head.call.dropout;
  const std::int64_t group =
      head.statistic(query) * DropoutMask::groups(head.call.dropout_width) + key_group;
  const auto words = philox(mask.key, static_cast<std::uint64_t>(group * 16 + key_of_16));
  unsigned bits = 0;
  KETTE_UNROLL for (int slot = 0; slot < 8; ++slot) {
    const std::uint32_t word = words[slot / 2];
    const std::uint32_t draw = slot % 2 ? word >> 16 : word & 0xffffu;
    bits |= unsigned(draw >= mask.threshold) << slot;
  }
  return bits;
}

/// If a thread's rows are queries, it owns all elements of a block: it draws the block once and
/// keeps the bits in a register for all tiles with those 128 keys.
template <class Tile>
class QueryMask {
 public:
  /// For kSwept keys from `first_key` on, a multiple of kSwept; call it for each tile in order.
  template <class T>
  __device__ void draw(const AttentionHead<T>& head, int first_query, int first_key) {
    if (first_key % kMaskKeys == 0) {
      KETTE_UNROLL for (int i = 0; i < Tile::kRows; ++i) {
        kept_[i] = 0;
        KETTE_UNROLL for (int j = 0; j < kBlocks; ++j) {
          kept_[i] |= kept_of_block(head, first_query + Tile::row(i), first_key / kMaskKeys,
                                    Tile::column(j) % 16)
                      << 8 * j;
        }
      }
    } else {
      KETTE_UNROLL for (int i = 0; i < Tile::kRows; ++i) kept_[i] >>= Tile::kSwept / 16;
    }
  }
  __device__ bool keeps(int i, int j) const {
    return kept_[i] >> (j % kBlocks * 8 + j / kBlocks) & 1;
  }

 private:
  static constexpr int kBlocks = Tile::kColumnsOf16;  // column(j + kBlocks) is column(j) + 16
  std::uint32_t kept_[Tile::kRows];
};

/// If a thread's rows are keys, several warps need a block, so its bits go through shared memory:
/// kept[query][key % 16], bit key / 16.
template <class Tile>
class KeyMask {
 public:
  static_assert(kMaskKeys % Tile::kOwn == 0);
  __device__ explicit KeyMask(std::uint8_t* kept) : kept_(kept) {}

  /// Called by all threads, before a barrier.
  template <class T>
  __device__ void draw(const AttentionHead<T>& head, int first_query, int queries, int first_key) {
    for (int i = int(threadIdx.x); i < queries * 16; i += Tile::kThreads) {
      const unsigned bits =
          kept_of_block(head, first_query + i / 16, first_key / kMaskKeys, i % 16);
      kept_[i] = static_cast<std::uint8_t>(bits >> first_key % kMaskKeys / 16);
    }
  }
  __device__ bool keeps(int i, int j) const {
    return kept_[Tile::column(j) * 16 + Tile::row(i) % 16] >> Tile::row(i) / 16 & 1;
  }

 private:
  std::uint8_t* kept_;
};

}  // namespace kette::cuda

// The tile of attention_tile.h on tensor cores, for bf16 and heads of up to kWidth elements. A warp
// owns 16 rows. Its scores stay in registers when they become an operand: two neighbouring results
// [16, 8] of a product have the layout of a [16, 16] operand of the next (Dao 2023,
// "FlashAttention-2"). Panels are padded with zeros to multiples of 16 rows and to kWidth.
#pragma once

#include "tensor/cuda/attention_head.h"
#include "tensor/cuda/mma.h"

namespace kette::cuda {

template <int kWarps, int kMostSwept, int kGivenWidth>
struct TensorCoreTile {
  using C = float;
  using Stored = std::uint16_t;
  static constexpr int kThreads = kWarps * kWarp, kWidth = kGivenWidth;
  static constexpr int kOwn = 16 * kWarps, kSwept = kOwn < kMostSwept ? kOwn : kMostSwept;
  static constexpr int kRows = 2, kColumns = kSwept / 4, kRowLanes = 4, kColumnsOf16 = 4;
  static constexpr int kBuffers = 2;
  // The least blocks per multiprocessor: 12 warps of up to 168 registers a thread, or 8 of 255;
  // forward without dropout 16 of 128. Without this the compiler sometimes takes a few more.
  static constexpr int kBlocks = (kWidth <= 64 ? 12 : 8) / kWarps;
  static constexpr int kQueryBlocks = (kWidth <= 64 ? 16 : 8) / kWarps;
  // Each row starts 16 bytes further in the banks of shared memory: any eight are in different
  // ones.
  static constexpr int kPiece = 8, kStride = kWidth + kPiece, kScratch = 0;

  /// The results of the warp's products, side by side.
  template <int kProducts>
  struct Sums {
    static constexpr int kColumns = 2 * kProducts;
    float products[kProducts][4] = {};
    __device__ float& at(int i, int j) { return products[j / 2][2 * i + j % 2]; }
  };
  using Square = Sums<kSwept / 8>;
  using Strip = Sums<kWidth / 8>;

  __device__ static int lane() { return int(threadIdx.x) % kWarp; }
  __device__ static int first_row() { return int(threadIdx.x) / kWarp * 16; }
  __device__ static int row(int i) { return first_row() + lane() / 4 + 8 * i; }
  __device__ static int column(int j) { return lane() % 4 * 2 + j % 2 + j / 2 * 8; }
  __device__ static float exp2(float x) { return fast_exp2(x); }

  /// The warp's rows of an own panel as the left operand of products, in registers if they fit.
  class Own {
   public:
    __device__ explicit Own(const Stored* panel)
        : from_(panel + first_row() * kStride + by_rows()) {}
    /// Call it once the panel is loaded.
    __device__ void take() {
      if constexpr (kHolds) {
        KETTE_UNROLL for (int i = 0; i < kWidth / 16; ++i) load_matrices(held_[i], from_ + 16 * i);
      }
    }
    /// Columns 16 i to 16 i + 15; loaded into `room` unless they are held.
    __device__ const Words& columns(int i, Words& room) const {
      if constexpr (kHolds) {
        return held_[i];
      } else {
        load_matrices(room, from_ + 16 * i);
        return room;
      }
    }

   private:
    static constexpr bool kHolds = kWidth <= 64;
    const Stored* from_;
    Words held_[kHolds ? kWidth / 16 : 1];
  };

  /// Copies the first `rows` rows to shared memory. Each thread always copies the same columns.
  __device__ static void load(const AttentionCall<BFloat16>& call, RowsView<const BFloat16> from,
                              int rows, Stored* to) {
    constexpr int kPieces = kWidth / kPiece, kRowsAtOnce = kThreads / kPieces;
    const int first = int(threadIdx.x) / kPieces, column = int(threadIdx.x) % kPieces * kPiece;
    const int filled = (rows + 15) / 16 * 16, count = call.width - column;
    const BFloat16* piece = from.data + first * from.stride + column;
    Stored* target = to + first * kStride + column;
    if (call.in_packs) {
      KETTE_UNROLL for (int i = 0; i < kOwn; i += kRowsAtOnce) {
        if (first + i >= filled) break;
        start_copy<16>(target + i * kStride, piece + i * from.stride,
                       first + i < rows && count > 0);
      }
    } else {
      for (int i = 0; first + i < filled; i += kRowsAtOnce) {
        for (int e = 0; e < kPiece; ++e) {
          const bool exists = first + i < rows && e < count;
          target[i * kStride + e] = exists ? piece[i * from.stride + e].bits : Stored(0);
        }
      }
    }
  }
  __device__ static void loaded() {
    finish_copies();
    __syncthreads();
  }

  __device__ static void multiply(const Own& own, const Stored* swept, int, Square& square) {
    const Stored* right = swept + (lane() % 8 + lane() / 16 * 8) * kStride + lane() / 8 % 2 * 8;
    KETTE_UNROLL for (int e = 0; e < kWidth; e += 16) {
      Words room;
      const Words& a = own.columns(e / 16, room);
      KETTE_UNROLL for (int k = 0; k < kSwept; k += 16) {
        Words b;
        load_matrices(b, right + k * kStride + e);
        multiply_pair(a, b, square.products + k / 8);
      }
    }
  }
  __device__ static void accumulate(Square& square, const Stored* swept, int depth, Strip& strip,
                                    Stored*) {
    const Stored* right = swept + by_rows();
    KETTE_UNROLL for (int k = 0; k < kSwept; k += 16) {
      if (k >= depth) break;
      const auto& near = square.products[k / 8];
      const auto& far = square.products[k / 8 + 1];
      const Words a{pack(near[0], near[1]), pack(near[2], near[3]), pack(far[0], far[1]),
                    pack(far[2], far[3])};
      KETTE_UNROLL for (int e = 0; e < kWidth; e += 16) {
        Words b;
        load_matrices_transposed(b, right + k * kStride + e);
        multiply_pair(a, b, strip.products + e / 8);
      }
    }
  }

  template <class Factor>
  __device__ static void store(const AttentionCall<BFloat16>& call, Strip& strip,
                               const Factor& factor, RowsView<BFloat16> to, int rows) {
    KETTE_UNROLL for (int i = 0; i < kRows; ++i) {
      if (row(i) >= rows) continue;
      BFloat16* target = to.data + row(i) * to.stride;
      const float times = factor(i);
      KETTE_UNROLL for (int j = 0; j < Strip::kColumns; j += 2) {
        const float first = strip.at(i, j) * times, second = strip.at(i, j + 1) * times;
        if (call.in_packs && column(j) < call.width) {
          *reinterpret_cast<std::uint32_t*>(target + column(j)) = pack(first, second);
        } else {
          if (column(j) < call.width) target[column(j)] = BFloat16(first);
          if (column(j + 1) < call.width) target[column(j + 1)] = BFloat16(second);
        }
      }
    }
  }

 private:
  /// The offset, in a block [16, 16] of a panel, of this lane's row of one of the four matrices,
  /// when they are taken column by column.
  __device__ static int by_rows() { return lane() % 16 * kStride + lane() / 16 * 8; }
  /// Two products side by side.
  __device__ static void multiply_pair(const Words& a, const Words& b, float (*sums)[4]) {
    mma(sums[0], a, b[0], b[1]);
    mma(sums[1], a, b[2], b[3]);
  }
};

}  // namespace kette::cuda

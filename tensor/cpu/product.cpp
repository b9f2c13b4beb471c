#include "tensor/cpu/product.h"

#include <omp.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "tensor/cpu/gemm_tile.h"
#include "tensor/cpu/matrix_unit.h"
#include "tensor/cpu/packing.h"
#include "tensor/cpu/parallel.h"
#include "tensor/cpu/scratch.h"

namespace kette::cpu {
namespace {

// For one thread's block of C, its part of A (rows x kDepth factors) stays in the L2 cache, while
// the panels of B (kDepth x kColumns) go through the L1 cache.
constexpr std::int64_t kDepth = 192;
// Factors of B in panels at a time: small enough for a share of the last-level cache.
constexpr std::int64_t kPanelFactors = std::int64_t{1} << 21;
// Multiplications that take as long as waking the other threads.
constexpr std::int64_t kWorthThreads = std::int64_t{1} << 18;

/// C's rows in blocks of nearly equal height. High blocks read B less often; low blocks give more
/// work to share among threads. Every element is summed in the same order in any block, so the
/// blocks may depend on the number of threads.
class RowBlocks {
 public:
  /// tile: rows of a tile.
  RowBlocks(std::int64_t m, std::int64_t tile, std::int64_t column_blocks)
      : rows_(m), tile_(tile), tiles_(ceil_div(m, tile)) {
    constexpr std::int64_t kEnough = 64;                         // blocks
    const std::int64_t high = kMostRows / tile, low = high / 2;  // tiles of a block
    count_ = ceil_div(tiles_, high);
    if (count_ * column_blocks >= kEnough) return;
    const std::int64_t threads = omp_in_parallel() ? 1 : omp_get_max_threads();
    const std::int64_t even = threads / std::gcd(threads, column_blocks);
    count_ = std::min(tiles_, round_up(ceil_div(tiles_, low), even));
  }

  std::int64_t count() const { return count_; }
  /// The first row of a block; begin(count()) is the number of rows.
  std::int64_t begin(std::int64_t block) const {
    return std::min(rows_, block * tiles_ / count_ * tile_);
  }

 private:
  std::int64_t rows_, tile_, tiles_, count_;
};

/// Whether tiles may read A in place: f32, and rows neither so far apart nor so regular that the
/// cache loses what is read again.
template <class T>
bool is_read_in_place(const MatrixView<const T>& a, std::int64_t n) {
  constexpr std::int64_t kWay = 4096 / sizeof(float);
  if (!std::is_same_v<T, float>) return false;
  if (a.row_stride == 1 && a.column_stride != 1) return a.column_stride <= 256;
  return n <= 128 || (n <= 1024 && a.row_stride % kWay != 0);
}

/// C = sums + beta * C, for the first `columns` sums in rows of a panel's width.
void add_to_c(std::int64_t rows, std::int64_t columns, const float* sums, float beta, float* c,
              std::int64_t ldc) {
  for (std::int64_t i = 0; i < rows; ++i, sums += kColumns, c += ldc) {
    for (std::int64_t j = 0; j < columns; ++j) {
      c[j] = sums[j] + (beta == 0 ? 0.0f : beta * c[j]);
    }
  }
}

/// C in tiles of vectors (gemm_tile.h).
template <class F>
class VectorTiles {
 public:
  using Factor = F;
  static constexpr std::int64_t kRows = kTileRows;
  /// Factors along the depth are padded to a multiple of this.
  static constexpr std::int64_t kDepthUnit = 1;

  template <class T>
  static void pack_a(const MatrixView<const T>& a, std::int64_t rows, std::int64_t depth,
                     std::int64_t /*factors*/, Factor* out) {
    pack_a_panels(a, rows, depth, out);
  }
  /// The packed rows, `depth` factors each, from row i on.
  static MatrixView<const Factor> packed_a(const Factor* rows, std::int64_t i, std::int64_t depth) {
    return {rows + i * depth, 1, kTileRows};
  }
  /// One tile of C, whose last columns may not fill a panel.
  void multiply(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                const MatrixView<const Factor>& a, const Factor* panel, float alpha, float beta,
                float* c, std::int64_t ldc) {
    const auto kernel =
        columns <= Simd<float>::kLanes ? tile_kernel<F, 1>(rows) : tile_kernel<F, 2>(rows);
    if (columns == kColumns) {
      for (std::int64_t i = 0; i < rows; ++i) {  // prefetches C, which is needed only at the end
        __builtin_prefetch(c + i * ldc, 1);
        __builtin_prefetch(c + i * ldc + kColumns - 1, 1);
      }
      return kernel(depth, a, panel, kColumns, alpha, beta, c, ldc);
    }
    float sums[kTileRows * kColumns];
    kernel(depth, a, panel, kColumns, alpha, 0, sums, kColumns);
    add_to_c(rows, columns, sums, beta, c, ldc);
  }
};

/// C in tiles of two by two squares of a matrix unit.
template <class Unit>
class UnitTiles {
 public:
  using Factor = Bf16Pair;
  static constexpr std::int64_t kRows = 2 * kUnitSide, kDepthUnit = kUnitSide;

  static void pack_a(const MatrixView<const BFloat16>& a, std::int64_t rows, std::int64_t depth,
                     std::int64_t factors, Factor* out) {
    pack_a_rows(a, rows, depth, factors, out);
  }
  static MatrixView<const Factor> packed_a(const Factor* rows, std::int64_t i, std::int64_t depth) {
    return {rows + i * depth, depth, 1};
  }
  void multiply(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                const MatrixView<const Factor>& a, const Factor* panel, float alpha, float beta,
                float* c, std::int64_t ldc) {
    constexpr std::int64_t kPanelRow = kColumns * sizeof(Factor);
    const std::int64_t a_row = a.row_stride * std::int64_t{sizeof(Factor)};
    unit_.template zero<0>();
    unit_.template zero<1>();
    unit_.template zero<2>();
    unit_.template zero<3>();
    for (std::int64_t p = 0; p < depth; p += kUnitSide) {
      unit_.template load<4>(a.data + p, a_row);
      unit_.template load<6>(panel + p * kColumns, kPanelRow);
      unit_.template multiply_bf16<0, 4, 6>();
      unit_.template load<7>(panel + p * kColumns + kUnitSide, kPanelRow);
      unit_.template multiply_bf16<1, 4, 7>();
      if (rows <= kUnitSide) continue;
      unit_.template load<5>(a.data + kUnitSide * a.row_stride + p, a_row);
      unit_.template multiply_bf16<2, 5, 6>();
      unit_.template multiply_bf16<3, 5, 7>();
    }
    alignas(64) float sums[kRows * kColumns];
    unit_.template store<0>(sums, kPanelRow);
    unit_.template store<1>(sums + kUnitSide, kPanelRow);
    unit_.template store<2>(sums + kUnitSide * kColumns, kPanelRow);
    unit_.template store<3>(sums + kUnitSide * kColumns + kUnitSide, kPanelRow);
    if (alpha != 1) {
      for (float& sum : sums) sum *= alpha;
    }
    add_to_c(rows, columns, sums, beta, c, ldc);
  }

 private:
  Unit unit_;
};

/// Factors along the depth of k elements.
template <class Tiles>
std::int64_t factors_of(std::int64_t k) {
  return round_up(ceil_div(k, kSpan<typename Tiles::Factor>), Tiles::kDepthUnit);
}

/// A block of C over all of k; its first column is a multiple of kColumns. panels: of B, from the
/// block's first column on, each with the factors of k rows.
template <class Tiles, class T>
void multiply_block(const ProductBlock& block, std::int64_t k, float alpha,
                    const MatrixView<const T>& a, const typename Tiles::Factor* panels,
                    float beta) {
  using Factor = typename Tiles::Factor;
  static_assert(kDepth % Tiles::kDepthUnit == 0);
  constexpr std::int64_t span = kSpan<Factor>;
  const std::int64_t factors = factors_of<Tiles>(k);
  const bool in_place = is_read_in_place(a, block.columns);
  const Scratch<Factor> rows(
      in_place ? 0 : (block.rows + Tiles::kRows) * std::min(factors, kDepth) + kSlack);
  Tiles tiles;
  // Once even for k = 0: C is then beta * C.
  for (std::int64_t begin = 0; begin == 0 || begin < factors; begin += kDepth) {
    const std::int64_t depth = std::min(kDepth, factors - begin);
    const MatrixView<const T> part = a.from(block.row, begin * span);
    if (!in_place) {
      tiles.pack_a(part, block.rows, std::min(depth * span, k - begin * span), depth, rows.data());
    }
    const float part_beta = begin == 0 ? beta : 1.0f;  // later parts of k add up
    for (std::int64_t j = 0; j < block.columns; j += kColumns) {
      const Factor* panel = panels + j * factors + begin * kColumns;
      const std::int64_t columns = std::min<std::int64_t>(kColumns, block.columns - j);
      for (std::int64_t i = 0; i < block.rows; i += Tiles::kRows) {
        const std::int64_t count = std::min(Tiles::kRows, block.rows - i);
        MatrixView<const Factor> tile;
        if (!in_place) tile = tiles.packed_a(rows.data(), i, depth);
        if constexpr (std::is_same_v<T, Factor>) {
          if (in_place) tile = part.from(i, 0);
        }
        tiles.multiply(count, columns, depth, tile, panel, alpha, part_beta,
                       block.values + i * block.ld + j, block.ld);
      }
    }
  }
}

/// product() with these tiles.
template <class Tiles, class T>
void multiply(const ProductShape& shape, float alpha, MatrixView<const T> a, MatrixView<const T> b,
              float beta, float* c, std::int64_t ldc, const FinishBlock& finish) {
  using Factor = typename Tiles::Factor;
  const std::int64_t m = shape.m, n = shape.n, k = shape.k;
  // B is packed in parts: as deep as fits, then as wide as fits.
  const std::int64_t padded = round_up(n, kColumns);
  const std::int64_t deepest = kPanelFactors / std::min(padded, kBlockColumns) / kDepth * kDepth;
  const std::int64_t factors = std::clamp<std::int64_t>(factors_of<Tiles>(k), 1, deepest),
                     depth = factors * kSpan<Factor>;
  const std::int64_t width =
      std::max<std::int64_t>(1, kPanelFactors / factors / kBlockColumns) * kBlockColumns;
  const Scratch<Factor> panels(std::min(padded, width) * factors);
  // Without a C, the sums over parts of k are kept here.
  const Scratch<float> sums(c == nullptr && k > depth ? m * n : 0);
  if (sums.data() != nullptr) {
    c = sums.data();
    ldc = n;
  }
  const RowBlocks row_blocks(m, Tiles::kRows, ceil_div(std::min(n, width), kBlockColumns));
  ParallelError error;
#pragma omp parallel if (m * n * k >= kWorthThreads)
  {
    // A vector wider than a block: rows at powers of two would share too few cache sets.
    constexpr std::int64_t kStride = kBlockColumns + Simd<float>::kLanes;
    std::optional<Scratch<float>> own;
    error.guard([&] { own.emplace(c == nullptr ? std::min(kMostRows, m) * kStride : 0); });
    for (std::int64_t first = 0; first < n; first += width) {
      // Once even for k = 0: C is then beta * C.
      for (std::int64_t begin = 0; begin == 0 || begin < k; begin += depth) {
        const std::int64_t columns = std::min(width, n - first), run = std::min(depth, k - begin);
        const bool is_last = begin + run == k;
        pack_b(b.from(begin, first), run, columns, factors_of<Tiles>(run), panels.data());
        const std::int64_t column_blocks = ceil_div(columns, kBlockColumns);
        const MatrixView<const T> part = a.from(0, begin);
#pragma omp for schedule(dynamic)
        for (std::int64_t index = 0; index < row_blocks.count() * column_blocks; ++index) {
          error.guard([&] {
            // Neighbours have the same columns, and so share panels of B.
            const std::int64_t row_block = index % row_blocks.count();
            const std::int64_t row = row_blocks.begin(row_block),
                               column = index / row_blocks.count() * kBlockColumns;
            ProductBlock block{row,
                               row_blocks.begin(row_block + 1) - row,
                               first + column,
                               std::min(kBlockColumns, columns - column),
                               own->data(),
                               kStride};
            if (c != nullptr) {
              block.values = c + row * ldc + block.column;
              block.ld = ldc;
            }
            multiply_block<Tiles>(block, run, alpha, part,
                                  panels.data() + column * factors_of<Tiles>(run),
                                  begin == 0 ? beta : 1.0f);
            if (finish && is_last) finish(block);
          });
        }
      }
    }
  }
  error.rethrow();
}

}  // namespace

template <class T>
void product(const ProductShape& shape, float alpha, MatrixView<const T> a, MatrixView<const T> b,
             float beta, float* c, std::int64_t ldc, const FinishBlock& finish, Bf16Products bf16) {
  if constexpr (std::is_same_v<T, BFloat16>) {
    if (bf16 == Bf16Products::in_pairs) {
      return multiply<VectorTiles<Bf16Pair>>(shape, alpha, a, b, beta, c, ldc, finish);
    }
    if constexpr (kColumns == 2 * kUnitSide) {
      if (bf16 == Bf16Products::in_squares) {
#if defined(__x86_64__)
        if (has_matrix_unit()) {
          return multiply<UnitTiles<MatrixUnit>>(shape, alpha, a, b, beta, c, ldc, finish);
        }
#endif
        return multiply<UnitTiles<EmulatedMatrixUnit>>(shape, alpha, a, b, beta, c, ldc, finish);
      }
    }
  }
  multiply<VectorTiles<float>>(shape, alpha, a, b, beta, c, ldc, finish);
}

template void product<float>(const ProductShape&, float, MatrixView<const float>,
                             MatrixView<const float>, float, float*, std::int64_t,
                             const FinishBlock&, Bf16Products);
template void product<BFloat16>(const ProductShape&, float, MatrixView<const BFloat16>,
                                MatrixView<const BFloat16>, float, float*, std::int64_t,
                                const FinishBlock&, Bf16Products);

}  // namespace kette::cpu

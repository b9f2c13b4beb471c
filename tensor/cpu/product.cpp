#include "tensor/cpu/product.h"

#include <omp.h>

#include <algorithm>
#include <numeric>

#include "tensor/cpu/gemm_tile.h"
#include "tensor/cpu/parallel.h"
#include "tensor/cpu/scratch.h"

namespace kette::cpu {
namespace {

// One thread's block of C: its part of A (rows x kDepth factors) stays in the second-level cache while
// the panels of B (kDepth x kColumns) pass through the first.
constexpr std::int64_t kBlockColumns = 512, kDepth = 192;
constexpr int kColumns = kTileWidth<float>;
// The part of B that is in panels: small enough for a share of the last-level cache.
constexpr std::int64_t kPanelFactors = std::int64_t{1} << 21;
// Multiplications that take as long as waking the other threads.
constexpr std::int64_t kWorthThreads = std::int64_t{1} << 18;

// Rows that lie far apart are asked for this many rows ahead; the processor does not guess them.
constexpr std::int64_t kAhead = 8;

/// C's rows in blocks of nearly equal height. High blocks read B less often; low ones are more,
/// to share out among the threads. That every element is summed in the same order, whatever block
/// it is in, lets the blocks depend on the threads.
class RowBlocks {
 public:
  static constexpr std::int64_t kMostRows = 16 * kTileRows;

  RowBlocks(std::int64_t m, std::int64_t column_blocks) : rows_(m), tiles_(ceil_div(m, kTileRows)) {
    constexpr std::int64_t kLow = 8, kHigh = kMostRows / kTileRows,
                           kEnough = 64;  // tiles of a block; blocks
    count_ = ceil_div(tiles_, kHigh);
    if (count_ * column_blocks >= kEnough) return;
    const std::int64_t threads = omp_in_parallel() ? 1 : omp_get_max_threads();
    const std::int64_t even = threads / std::gcd(threads, column_blocks);
    count_ = std::min(tiles_, round_up(ceil_div(tiles_, kLow), even));
  }

  std::int64_t count() const { return count_; }
  /// The first row of a block; that of block count() is the number of rows.
  std::int64_t begin(std::int64_t block) const {
    return std::min(rows_, block * tiles_ / count_ * kTileRows);
  }

 private:
  std::int64_t rows_, tiles_, count_;
};

/// How many elements along the depth a factor of the tiles stands for.
template <class Factor>
constexpr std::int64_t kSpan = std::is_same_v<Factor, Bf16Pair> ? 2 : 1;

/// The factor at `from` of `left` elements along the depth, which lie `stride` apart; 0 past the end.
template <class Factor, class T>
Factor load_factor(const T* from, std::int64_t stride, std::int64_t left) {
  if constexpr (std::is_same_v<Factor, Bf16Pair>) {
    const std::uint32_t low = from[0].bits, high = left > 1 ? from[stride].bits : 0;
    return Bf16Pair{low | high << 16};
  } else {
    return float(*from);
  }
}

/// A vector of factors along the depth, of elements that lie contiguous.
template <class Factor, class T>
typename Simd<float>::Vector load_along(const T* from) {
  if constexpr (std::is_same_v<Factor, Bf16Pair>) {
    return Simd<float>::load(reinterpret_cast<const float*>(from));  // pairs as they lie
  } else {
    return load_floats(from);
  }
}

static_assert(kTileRows <= Simd<float>::kLanes || kTileRows % Simd<float>::kLanes == 0,
              "transpositions make a panel of A: one, which may reach past it, or whole ones");

/// The factors of `rows` rows of `depth` elements: to[p * to_stride + i] is that of row i <= kLanes. Writes
/// whole vectors, for which `to` has room: zeros up to kLanes rows, some of which a later p may
/// overwrite.
template <class Factor, class T>
void pack_transposed(const T* from, std::int64_t from_stride, std::int64_t rows, std::int64_t depth,
                     Factor* to, std::int64_t to_stride) {
  using S = Simd<float>;  // of words, whatever is in them
  constexpr std::int64_t span = kSpan<Factor>;
  S::Vector square[S::kLanes];
  std::int64_t p = 0;
  for (; (p + S::kLanes) * span <= depth; p += S::kLanes) {
    for (int i = 0; i < S::kLanes; ++i) {
      square[i] = i < rows ? load_along<Factor>(from + i * from_stride + p * span) : S::Vector{};
    }
    S::transpose(square);
    for (int i = 0; i < S::kLanes; ++i)
      std::memcpy(to + (p + i) * to_stride, &square[i], sizeof square[i]);
  }
  for (; p * span < depth; ++p) {
    for (int i = 0; i < S::kLanes; ++i) {
      to[p * to_stride + i] =
          i < rows ? load_factor<Factor>(from + i * from_stride + p * span, 1, depth - p * span)
                   : Factor{};
    }
  }
}

/// Rows of B, in panels of kColumns columns whose last is filled up with zeros; a panel
/// starts `distance` after its neighbour. For rows that lie contiguous: each is read once, whole.
template <class Factor, class T>
void pack_b_rows(const MatrixView<const T>& b, std::int64_t rows, std::int64_t columns, Factor* out,
                 std::int64_t distance) {
  constexpr std::int64_t span = kSpan<Factor>;
  for (std::int64_t p = 0; p * span < rows; ++p) {
    const T* row = b.data + p * span * b.row_stride;
    const std::int64_t left = rows - p * span;
    Factor* panel = out + p * kColumns;
    std::int64_t j = 0;
    for (; j + kColumns <= columns; j += kColumns, panel += distance) {
#pragma omp simd
      for (int lane = 0; lane < kColumns; ++lane) {
        panel[lane] = load_factor<Factor>(row + j + lane, b.row_stride, left);
      }
    }
    if (j == columns) continue;
    for (int lane = 0; lane < kColumns; ++lane) {
      panel[lane] =
          j + lane < columns ? load_factor<Factor>(row + j + lane, b.row_stride, left) : Factor{};
    }
  }
}

/// The same of one panel, for columns that lie contiguous.
template <class Factor, class T>
void pack_b_columns(const MatrixView<const T>& b, std::int64_t rows, std::int64_t columns,
                    Factor* out) {
  constexpr std::int64_t kLanes = Simd<float>::kLanes;
  for (std::int64_t j = 0; j < kColumns; j += kLanes) {
    pack_transposed(b.data + j * b.column_stride, b.column_stride,
                    std::clamp<std::int64_t>(columns - j, 0, kLanes), rows, out + j, kColumns);
  }
}

/// All of B, shared out among the threads of a parallel region; a panel has the factors of `rows` rows.
template <class Factor, class T>
void pack_b(const MatrixView<const T>& b, std::int64_t rows, std::int64_t columns, Factor* out) {
  const bool is_by_rows = b.column_stride == 1;
  const std::int64_t high = is_by_rows ? 64 : std::max<std::int64_t>(1, rows),
                     wide = is_by_rows ? kBlockColumns : kColumns;
  const std::int64_t down = ceil_div(rows, high), across = ceil_div(columns, wide),
                     depth = ceil_div(rows, kSpan<Factor>);
#pragma omp for schedule(static)
  for (std::int64_t index = 0; index < down * across; ++index) {
    const std::int64_t p = index % down * high, j = index / down * wide;
    const MatrixView<const T> part = b.from(p, j);
    const std::int64_t part_columns = std::min(wide, columns - j);
    Factor* panel = out + j * depth + p / kSpan<Factor> * kColumns;
    if (is_by_rows) {
      pack_b_rows(part, std::min(high, rows - p), part_columns, panel, depth * kColumns);
    } else {
      pack_b_columns(part, rows, part_columns, panel);
    }
  }
}

/// What a vector written at the last column of a panel may reach past it.
constexpr std::int64_t kSlack = Simd<float>::kLanes;

/// `rows` rows of A as columns of kTileRows factors each; in a last, lower panel they lie as far apart.
template <class Factor, class T>
void pack_rows(const MatrixView<const T>& a, std::int64_t rows, std::int64_t depth, Factor* out) {
  constexpr std::int64_t span = kSpan<Factor>;
  const std::int64_t factors = ceil_div(depth, span);
  if (a.column_stride == 1) {
    constexpr std::int64_t kHigh = std::min(kTileRows, Simd<float>::kLanes);
    for (std::int64_t i = 0; i < rows; i += kHigh) {
      pack_transposed(a.data + i * a.row_stride, a.row_stride, std::min(kHigh, rows - i), depth,
                      out + i / kTileRows * kTileRows * factors + i % kTileRows, kTileRows);
    }
    return;
  }
  Factor line[RowBlocks::kMostRows];  // of one p, which whole vectors make
  for (std::int64_t p = 0; p < factors; ++p) {
    const T* column = a.data + p * span * a.column_stride;
    const std::int64_t left = depth - p * span;
#pragma omp simd
    for (std::int64_t i = 0; i < rows; ++i) {
      line[i] = load_factor<Factor>(column + i, a.column_stride, left);
    }
    for (std::int64_t i = 0; i < rows; i += kTileRows) {
      Factor* panel = out + i * factors + p * kTileRows;
      __builtin_prefetch(column + kAhead * span * a.column_stride + i);
      if (rows - i >= kTileRows) {  // a fixed count becomes a few vector moves
        std::copy_n(line + i, kTileRows, panel);
      } else {
        std::copy_n(line + i, rows - i, panel);
      }
    }
  }
}

/// Whether the tiles may read A where it lies: f32, and neither so far apart nor so regularly that
/// the cache cannot hold what is read again.
template <class T>
bool is_read_in_place(const MatrixView<const T>& a, std::int64_t n) {
  constexpr std::int64_t kWay = 4096 / sizeof(float);
  if (!std::is_same_v<T, float>) return false;
  if (a.row_stride == 1 && a.column_stride != 1) return a.column_stride <= 256;
  return n <= 128 || (n <= 1024 && a.row_stride % kWay != 0);
}

/// One tile of C, whose last columns may not fill a panel.
template <class Factor>
void multiply_at(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                 const MatrixView<const Factor>& a, const Factor* panel, float alpha, float beta,
                 float* c, std::int64_t ldc) {
  const auto kernel =
      columns <= Simd<float>::kLanes ? tile_kernel<Factor, 1>(rows) : tile_kernel<Factor, 2>(rows);
  if (columns == kColumns) {
    for (std::int64_t i = 0; i < rows; ++i) {  // C may be far away; it is wanted only at the end
      __builtin_prefetch(c + i * ldc, 1);
      __builtin_prefetch(c + i * ldc + kColumns - 1, 1);
    }
    return kernel(depth, a, panel, kColumns, alpha, beta, c, ldc);
  }
  float edge[kTileRows * kColumns];
  kernel(depth, a, panel, kColumns, alpha, 0, edge, kColumns);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      float& element = c[i * ldc + j];
      element = edge[i * kColumns + j] + (beta == 0 ? 0.0f : beta * element);
    }
  }
}

/// C's block, whose first column is a multiple of kColumns, over all of k. `panels`: those of B from the block's
/// first column on, each with the factors of k rows.
template <class Factor, class T>
void multiply_block(const ProductBlock& block, std::int64_t k, float alpha,
                    const MatrixView<const T>& a, const Factor* panels, float beta) {
  constexpr std::int64_t span = kSpan<Factor>;
  const std::int64_t factors = ceil_div(k, span);
  const bool in_place = is_read_in_place(a, block.columns);
  const Scratch<Factor> rows(
      in_place ? 0 : (block.rows + kTileRows) * std::min(factors, kDepth) + kSlack);
  // Once even for k = 0: C is then beta * C.
  for (std::int64_t begin = 0; begin == 0 || begin < factors; begin += kDepth) {
    const std::int64_t depth = std::min(kDepth, factors - begin);
    const MatrixView<const T> part = a.from(block.row, begin * span);
    if (!in_place)
      pack_rows(part, block.rows, std::min(depth * span, k - begin * span), rows.data());
    const float part_beta = begin == 0 ? beta : 1.0f;  // later parts of k add up
    for (std::int64_t j = 0; j < block.columns; j += kColumns) {
      const Factor* panel = panels + j * factors + begin * kColumns;
      const std::int64_t columns = std::min<std::int64_t>(kColumns, block.columns - j);
      for (std::int64_t i = 0; i < block.rows; i += kTileRows) {
        const std::int64_t count = std::min<std::int64_t>(kTileRows, block.rows - i);
        MatrixView<const Factor> tile{rows.data(), 1, kTileRows};
        if (!in_place) tile.data += i * depth;
        if constexpr (std::is_same_v<T, Factor>) {
          if (in_place) tile = part.from(i, 0);
        }
        multiply_at(count, columns, depth, tile, panel, alpha, part_beta,
                    block.values + i * block.ld + j, block.ld);
      }
    }
  }
}

/// product() on tiles of these factors.
template <class Factor, class T>
void multiply(const ProductShape& shape, float alpha, MatrixView<const T> a, MatrixView<const T> b,
              float beta, float* c, std::int64_t ldc, const FinishBlock& finish) {
  const std::int64_t m = shape.m, n = shape.n, k = shape.k;
  // B becomes panels a part at a time: first as deep, then as wide as fits.
  const std::int64_t padded = round_up(n, kColumns);
  const std::int64_t deepest = kPanelFactors / std::min(padded, kBlockColumns) / kDepth * kDepth;
  const std::int64_t factors = std::clamp<std::int64_t>(ceil_div(k, kSpan<Factor>), 1, deepest),
                     depth = factors * kSpan<Factor>;
  const std::int64_t width =
      std::max<std::int64_t>(1, kPanelFactors / factors / kBlockColumns) * kBlockColumns;
  const Scratch<Factor> panels(std::min(padded, width) * factors);
  // A C that nobody keeps is kept here as long as parts of k add up in it.
  const Scratch<float> sums(c == nullptr && k > depth ? m * n : 0);
  if (sums.data() != nullptr) {
    c = sums.data();
    ldc = n;
  }
  const RowBlocks row_blocks(m, ceil_div(std::min(n, width), kBlockColumns));
#pragma omp parallel if (m * n * k >= kWorthThreads)
  {
    // One line more than a block has columns: rows at powers of two share too few places in the cache.
    constexpr std::int64_t kStride = kBlockColumns + Simd<float>::kLanes;
    const Scratch<float> own(c == nullptr ? std::min(RowBlocks::kMostRows, m) * kStride : 0);
    for (std::int64_t first = 0; first < n; first += width) {
      // Once even for k = 0: C is then beta * C.
      for (std::int64_t begin = 0; begin == 0 || begin < k; begin += depth) {
        const std::int64_t columns = std::min(width, n - first), run = std::min(depth, k - begin);
        const bool is_last = begin + run == k;
        pack_b(b.from(begin, first), run, columns, panels.data());
        const std::int64_t column_blocks = ceil_div(columns, kBlockColumns);
        const MatrixView<const T> part = a.from(0, begin);
#pragma omp for schedule(dynamic)
        for (std::int64_t index = 0; index < row_blocks.count() * column_blocks; ++index) {
          // Neighbours share their columns, and with them the panels of B.
          const std::int64_t row_block = index % row_blocks.count();
          const std::int64_t row = row_blocks.begin(row_block),
                             column = index / row_blocks.count() * kBlockColumns;
          ProductBlock block{row,
                             row_blocks.begin(row_block + 1) - row,
                             first + column,
                             std::min(kBlockColumns, columns - column),
                             own.data(),
                             kStride};
          if (c != nullptr) {
            block.values = c + row * ldc + block.column;
            block.ld = ldc;
          }
          multiply_block(block, run, alpha, part,
                         panels.data() + column * ceil_div(run, kSpan<Factor>),
                         begin == 0 ? beta : 1.0f);
          if (finish && is_last) finish(block);
        }
      }
    }
  }
}

}  // namespace

template <class T>
void product(const ProductShape& shape, float alpha, MatrixView<const T> a, MatrixView<const T> b,
             float beta, float* c, std::int64_t ldc, const FinishBlock& finish, Bf16Products bf16) {
  if constexpr (std::is_same_v<T, BFloat16>) {
    if (bf16 == Bf16Products::in_pairs) {
      return multiply<Bf16Pair>(shape, alpha, a, b, beta, c, ldc, finish);
    }
  }
  multiply<float>(shape, alpha, a, b, beta, c, ldc, finish);
}

template void product<float>(const ProductShape&, float, MatrixView<const float>,
                             MatrixView<const float>, float, float*, std::int64_t,
                             const FinishBlock&, Bf16Products);
template void product<BFloat16>(const ProductShape&, float, MatrixView<const BFloat16>,
                                MatrixView<const BFloat16>, float, float*, std::int64_t,
                                const FinishBlock&, Bf16Products);

}  // namespace kette::cpu

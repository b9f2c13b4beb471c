#include "tensor/cpu/product.h"

#include <omp.h>

#include <algorithm>
#include <numeric>

#include "tensor/cpu/gemm_tile.h"
#include "tensor/cpu/parallel.h"
#include "tensor/cpu/scratch.h"

namespace kette::cpu {
namespace {

// One thread's block of C: its part of A (rows x kDepth) stays in the second-level cache while the
// panels of B (kDepth x kColumns) pass through the first.
constexpr std::int64_t kBlockColumns = 512, kDepth = 192;
constexpr int kColumns = kTileWidth<float>;
// The part of B that is in panels: small enough for a share of the last-level cache.
constexpr std::int64_t kPanelElements = std::int64_t{1} << 21;
// Multiplications that take as long as waking the other threads.
constexpr std::int64_t kWorthThreads = std::int64_t{1} << 18;

// Rows that lie far apart are asked for this many rows ahead; the processor does not guess them.
constexpr std::int64_t kAhead = 8;

/// C's rows in blocks of nearly equal height. High blocks read B less often; low ones are more,
/// to share out among the threads. That every element is summed in the same order, whatever block
/// it is in, lets the blocks depend on the threads.
class RowBlocks {
 public:
  RowBlocks(std::int64_t m, std::int64_t column_blocks) : rows_(m), tiles_(ceil_div(m, kTileRows)) {
    constexpr std::int64_t kLow = 8, kHigh = 16, kEnough = 64;  // tiles of a block; blocks
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

template <class T>
typename Simd<float>::Vector load_floats(const T* from) {
  float lanes[Simd<float>::kLanes];
#pragma omp simd
  for (int lane = 0; lane < Simd<float>::kLanes; ++lane) lanes[lane] = float(from[lane]);
  return Simd<float>::load(lanes);
}

static_assert(kTileRows <= Simd<float>::kLanes, "one transposition makes a panel of A");

/// to[p * to_stride + i] = from[i * from_stride + p] for i < rows <= kLanes and p < depth. Writes
/// whole vectors, for which `to` has room: zeros up to kLanes rows, some of which a later p may
/// overwrite.
template <class T>
void pack_transposed(const T* from, std::int64_t from_stride, std::int64_t rows, std::int64_t depth,
                     float* to, std::int64_t to_stride) {
  using S = Simd<float>;
  S::Vector square[S::kLanes];
  std::int64_t p = 0;
  for (; p + S::kLanes <= depth; p += S::kLanes) {
    for (int i = 0; i < S::kLanes; ++i) {
      square[i] = i < rows ? load_floats(from + i * from_stride + p) : S::Vector{};
    }
    S::transpose(square);
    for (int i = 0; i < S::kLanes; ++i) S::store(to + (p + i) * to_stride, square[i]);
  }
  for (; p < depth; ++p) {
    for (int i = 0; i < S::kLanes; ++i) {
      to[p * to_stride + i] = i < rows ? float(from[i * from_stride + p]) : 0.0f;
    }
  }
}

/// Rows [0, rows) of B, in panels of kColumns columns whose last is filled up with zeros; a panel
/// starts `distance` after its neighbour. For rows that lie contiguous: each is read once, whole.
template <class T>
void pack_b_rows(const MatrixView<const T>& b, std::int64_t rows, std::int64_t columns, float* out,
                 std::int64_t distance) {
  for (std::int64_t p = 0; p < rows; ++p) {
    const T* row = b.data + p * b.row_stride;
    float* panel = out + p * kColumns;
    std::int64_t j = 0;
    for (; j + kColumns <= columns; j += kColumns, panel += distance) {
#pragma omp simd
      for (int lane = 0; lane < kColumns; ++lane) panel[lane] = float(row[j + lane]);
    }
    if (j == columns) continue;
    for (int lane = 0; lane < kColumns; ++lane) {
      panel[lane] = j + lane < columns ? float(row[j + lane]) : 0.0f;
    }
  }
}

/// The same of one panel, for columns that lie contiguous.
template <class T>
void pack_b_columns(const MatrixView<const T>& b, std::int64_t rows, std::int64_t columns,
                    float* out) {
  constexpr std::int64_t kLanes = Simd<float>::kLanes;
  for (std::int64_t j = 0; j < kColumns; j += kLanes) {
    pack_transposed(b.data + j * b.column_stride, b.column_stride,
                    std::clamp<std::int64_t>(columns - j, 0, kLanes), rows, out + j, kColumns);
  }
}

/// All of B, shared out among the threads of a parallel region; a panel is `rows` rows long.
template <class T>
void pack_b(const MatrixView<const T>& b, std::int64_t rows, std::int64_t columns, float* out) {
  const bool is_by_rows = b.column_stride == 1;
  const std::int64_t high = is_by_rows ? 64 : std::max<std::int64_t>(1, rows),
                     wide = is_by_rows ? kBlockColumns : kColumns;
  const std::int64_t down = ceil_div(rows, high), across = ceil_div(columns, wide);
#pragma omp for schedule(static)
  for (std::int64_t index = 0; index < down * across; ++index) {
    const std::int64_t p = index % down * high, j = index / down * wide;
    const MatrixView<const T> part = b.from(p, j);
    const std::int64_t part_columns = std::min(wide, columns - j);
    float* panel = out + j * rows + p * kColumns;
    if (is_by_rows) {
      pack_b_rows(part, std::min(high, rows - p), part_columns, panel, rows * kColumns);
    } else {
      pack_b_columns(part, rows, part_columns, panel);
    }
  }
}

/// What a vector written at the last column of a panel may reach past it.
constexpr std::int64_t kSlack = Simd<float>::kLanes;

/// `rows` rows of A as columns of kTileRows each; in a last, lower panel they lie as far apart.
template <class T>
void pack_rows(const MatrixView<const T>& a, std::int64_t rows, std::int64_t depth, float* out) {
  if (a.column_stride == 1) {
    for (std::int64_t i = 0; i < rows; i += kTileRows) {
      pack_transposed(a.data + i * a.row_stride, a.row_stride,
                      std::min<std::int64_t>(kTileRows, rows - i), depth, out + i * depth,
                      kTileRows);
    }
    return;
  }
  for (std::int64_t p = 0; p < depth; ++p) {
    const T* column = a.data + p * a.column_stride;
    for (std::int64_t i = 0; i < rows; i += kTileRows) {
      float* panel = out + i * depth + p * kTileRows;
      __builtin_prefetch(column + kAhead * a.column_stride + i);
      if (rows - i >= kTileRows) {  // a fixed count becomes a few vector moves
        for (int r = 0; r < kTileRows; ++r) panel[r] = float(column[i + r]);
      } else {
        for (std::int64_t r = 0; r < rows - i; ++r) panel[r] = float(column[i + r]);
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
void multiply_at(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                 MatrixView<const float> a, const float* panel, float alpha, float beta, float* c,
                 std::int64_t ldc) {
  const auto kernel =
      columns <= Simd<float>::kLanes ? tile_kernel<float, 1>(rows) : tile_kernel<float, 2>(rows);
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

struct Block {
  std::int64_t row, rows, column, columns;  // of C; `column` is a multiple of kColumns
};

/// C's block, over all of k. `panels`: those of B from column 0 of C on, each k rows long.
template <class T>
void multiply_block(const Block& block, std::int64_t k, float alpha, const MatrixView<const T>& a,
                    const float* panels, float beta, float* c, std::int64_t ldc) {
  const bool in_place = is_read_in_place(a, block.columns);
  const Scratch<float> rows(in_place ? 0 : (block.rows + kTileRows) * std::min(k, kDepth) + kSlack);
  // Once even for k = 0: C is then beta * C.
  for (std::int64_t begin = 0; begin == 0 || begin < k; begin += kDepth) {
    const std::int64_t depth = std::min(kDepth, k - begin);
    const MatrixView<const T> part = a.from(block.row, begin);
    if (!in_place) pack_rows(part, block.rows, depth, rows.data());
    const float part_beta = begin == 0 ? beta : 1.0f;  // later parts of k add up
    for (std::int64_t j = block.column; j < block.column + block.columns; j += kColumns) {
      const float* panel = panels + j * k + begin * kColumns;
      const std::int64_t columns =
          std::min<std::int64_t>(kColumns, block.column + block.columns - j);
      for (std::int64_t i = 0; i < block.rows; i += kTileRows) {
        const std::int64_t count = std::min<std::int64_t>(kTileRows, block.rows - i);
        MatrixView<const float> tile{rows.data(), 1, kTileRows};
        if (!in_place) tile.data += i * depth;
        if constexpr (std::is_same_v<T, float>) {
          if (in_place) tile = part.from(i, 0);
        }
        multiply_at(count, columns, depth, tile, panel, alpha, part_beta,
                    c + (block.row + i) * ldc + j, ldc);
      }
    }
  }
}

}  // namespace

template <class T>
void product(const ProductShape& shape, float alpha, MatrixView<const T> a, MatrixView<const T> b,
             float beta, float* c, std::int64_t ldc, const FinishBlock& finish) {
  const std::int64_t m = shape.m, n = shape.n, k = shape.k;
  // B becomes panels a part at a time: first as deep, then as wide as fits.
  const std::int64_t padded = round_up(n, kColumns);
  const std::int64_t deepest = kPanelElements / std::min(padded, kBlockColumns) / kDepth * kDepth;
  const std::int64_t depth = std::clamp<std::int64_t>(k, 1, deepest);
  const std::int64_t width =
      std::max<std::int64_t>(1, kPanelElements / depth / kBlockColumns) * kBlockColumns;
  const Scratch<float> panels(std::min(padded, width) * depth);
  const RowBlocks row_blocks(m, ceil_div(std::min(n, width), kBlockColumns));
#pragma omp parallel if (m * n * k >= kWorthThreads)
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
        const Block block{row, row_blocks.begin(row_block + 1) - row, column,
                          std::min(kBlockColumns, columns - column)};
        multiply_block(block, run, alpha, part, panels.data(), begin == 0 ? beta : 1.0f, c + first,
                       ldc);
        if (finish && is_last) finish(row, block.rows, first + column, block.columns);
      }
    }
  }
}

template void product<float>(const ProductShape&, float, MatrixView<const float>,
                             MatrixView<const float>, float, float*, std::int64_t,
                             const FinishBlock&);
template void product<BFloat16>(const ProductShape&, float, MatrixView<const BFloat16>,
                                MatrixView<const BFloat16>, float, float*, std::int64_t,
                                const FinishBlock&);

}  // namespace kette::cpu

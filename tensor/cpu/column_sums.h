// Sums over many rows, in two stages: first each fixed block of rows, then all blocks. So the order
// of additions does not depend on the threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "tensor/cpu/parallel.h"
#include "tensor/cpu/scratch.h"
#include "tensor/tensor.h"

namespace kette::cpu {

/// Adds all blocks to block 0, element by element; a block has `width` sums, and blocks are `stride`
/// apart. In pairs, and pairs of pairs: one after the other, thousands of f32 would lose digits. The
/// other blocks are then partial sums.
template <class C>
void add_blocks(C* sums, std::int64_t blocks, std::int64_t stride, std::int64_t width) {
  if (blocks < 2) return;
  const auto half =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(blocks - 1)));
  C* more = sums + half * stride;
  add_blocks(sums, half, stride, width);
  add_blocks(more, blocks - half, stride, width);
#pragma omp simd
  for (std::int64_t j = 0; j < width; ++j) sums[j] += more[j];
}

/// For each of `matrices`, `width` sums over its rows. add_rows(matrix, begin, end, sums) adds rows
/// [begin, end) to `sums`; take(matrix, sums) gets the total.
template <class C, class AddRows, class Take>
void sum_rows(std::int64_t matrices, std::int64_t rows, std::int64_t rows_per_block,
              std::int64_t width, std::int64_t cost_of_row, const AddRows& add_rows,
              const Take& take) {
  const std::int64_t blocks = std::max<std::int64_t>(1, ceil_div(rows, rows_per_block));
  const Scratch<C> partial(matrices * blocks * width);
  parallel_blocks(matrices * blocks, 1, rows_per_block * cost_of_row,
                  [&](std::int64_t index, std::int64_t) {
                    C* sums = partial.data() + index * width;
                    std::fill_n(sums, width, C(0));
                    const std::int64_t begin = index % blocks * rows_per_block;
                    add_rows(index / blocks, begin, std::min(rows, begin + rows_per_block), sums);
                  });
  for (std::int64_t matrix = 0; matrix < matrices; ++matrix) {
    C* sums = partial.data() + matrix * blocks * width;
    add_blocks(sums, blocks, width, width);
    take(matrix, sums);
  }
}

/// sums[j] += sum over rows of x[row * ld + j], one row after the other.
template <class T>
void add_to_sums(const T* x, std::int64_t rows, std::int64_t width, std::int64_t ld,
                 Compute<T>* sums) {
  for (std::int64_t row = 0; row < rows; ++row) {
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j) sums[j] += Compute<T>(x[row * ld + j]);
  }
}

/// y[j] += sum over rows of x[row * ld + j], for `width` columns.
template <class T>
void add_rows(const T* x, std::int64_t rows, std::int64_t width, std::int64_t ld, Compute<T>* y) {
  using C = Compute<T>;
  constexpr std::int64_t kRows = 128;
  if (rows == 0) return;
  sum_rows<C>(
      1, rows, kRows, width, width,
      [&](std::int64_t, std::int64_t begin, std::int64_t end, C* sums) {
        add_to_sums(x + begin * ld, end - begin, width, ld, sums);
      },
      [&](std::int64_t, const C* sums) {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j) y[j] += sums[j];
      });
}

/// y += sums, as many as y has elements
template <class C>
void add_to(const Tensor& y, const C* sums) {
  C* out = y.data<C>();
  for (std::int64_t j = 0; j < y.elements(); ++j) out[j] += sums[j];
}

}  // namespace kette::cpu

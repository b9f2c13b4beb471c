// The second stage of sums over many rows: the first leaves the sums of each fixed block of rows,
// so that the order of additions never depends on the threads.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace kette::cpu {

/// Adds blocks 1, 2, ... to block 0, element by element; a block has `width` sums and starts
/// `stride` after the one before.
template <class C>
void add_blocks(C* sums, std::int64_t blocks, std::int64_t stride, std::int64_t width) {
  for (std::int64_t block = 1; block < blocks; ++block) {
    const C* more = sums + block * stride;
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j) sums[j] += more[j];
  }
}

/// y += sums, as many as y has elements
template <class C>
void add_to(const Tensor& y, const C* sums) {
  C* out = y.data<C>();
  for (std::int64_t j = 0; j < y.elements(); ++j) out[j] += sums[j];
}

}  // namespace kette::cpu

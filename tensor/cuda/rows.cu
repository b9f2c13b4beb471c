// Row bodies on CUDA: a warp takes a row, its lanes the elements; of wide rows a block does. Column
// sums are taken in two stages over fixed blocks of rows, without atomics, so that the order of
// additions never changes.
#include "tensor/cuda/launch.h"
#include "tensor/emit.h"

namespace kette::kernels {
namespace {

using cuda::kWarp;

/// The dropout factors of a row for one thread. A thread of a warp takes every 32nd element, so four
/// of its neighbours come from one Philox block, which is drawn once.
struct RowMask {
  DropoutMask mask;
  std::int64_t row, width;
  mutable std::uint64_t drawn = ~std::uint64_t{0};
  mutable std::array<std::uint32_t, 4> words{};

  __device__ float operator()(std::int64_t j) const {
    if (!mask.active()) return 1;
    const std::uint64_t block = DropoutMask::block(row, j, width);
    if (block != drawn) words = philox(mask.key, drawn = block);
    return mask.choose(words, j);
  }
};

/// The group a row body runs on: `kThreads` neighbouring threads, a warp or a whole block.
template <int kThreads>
struct CudaGroup {
  static_assert(kThreads % kWarp == 0);

  __device__ static std::int64_t rank() { return threadIdx.x % kThreads; }

  template <class C, class Function>
  __device__ C max(std::int64_t count, const Function& value) const {
    C result = -std::numeric_limits<C>::infinity();
    for (std::int64_t j = rank(); j < count; j += kThreads) {
      const C candidate = value(j);
      result = candidate > result ? candidate : result;
    }
    return kThreads == kWarp ? cuda::warp_max(result) : cuda::block_max(result);
  }
  template <class C, class Function>
  __device__ C sum(std::int64_t count, const Function& value) const {
    C result = 0;
    for (std::int64_t j = rank(); j < count; j += kThreads) result += value(j);
    return kThreads == kWarp ? cuda::warp_sum(result) : cuda::block_sum(result);
  }
  /// A thread takes the same elements each time, so what it wrote it may read without a barrier.
  template <class Function>
  __device__ void each(std::int64_t count, const Function& function) const {
    for (std::int64_t j = rank(); j < count; j += kThreads) function(j);
  }
  template <class Function>
  __device__ void once(const Function& function) const {
    if (rank() == 0) function();
  }
  __device__ RowMask mask(const DropoutMask& mask, std::int64_t row, std::int64_t width) const {
    return {mask, row, width};
  }
};

constexpr int kBlock = 256;
constexpr std::int64_t kWideRow = 4096;
constexpr std::int64_t kRowsPerSum = 64;

template <class Body>
__global__ void rows_by_warp(Body body, std::int64_t rows) {
  const std::int64_t row = cuda::index() / kWarp;
  if (row < rows) body(CudaGroup<kWarp>{}, row);
}

template <class Body>
__global__ void rows_by_block(Body body, std::int64_t rows) {
  const std::int64_t row = blockIdx.x;
  if (row < rows) body(CudaGroup<kBlock>{}, row);
}

/// partial[block of rows, sum, column]
template <class Columns, class C = Compute<typename Columns::Element>>
__global__ void partial_sums(Columns columns, std::int64_t rows, C* partial) {
  const std::int64_t column = cuda::index(), width = columns.width;
  if (column >= width) return;
  const std::int64_t begin = blockIdx.y * kRowsPerSum;
  const std::int64_t end = begin + kRowsPerSum < rows ? begin + kRowsPerSum : rows;
  C totals[Columns::kSums] = {};
  for (std::int64_t row = begin; row < end; ++row) {
    C* total = totals;
    std::apply([&](const auto&... term) { ((*total++ += term(column)), ...); },
               columns.row_terms(row));
  }
  for (int k = 0; k < Columns::kSums; ++k) {
    partial[(blockIdx.y * Columns::kSums + k) * width + column] = totals[k];
  }
}

template <class C>
__global__ void add_partial_sums(const C* partial, std::int64_t blocks, std::int64_t stride,
                                 std::int64_t width, C* total) {
  const std::int64_t column = cuda::index();
  if (column >= width) return;
  C sum = total[column];
  for (std::int64_t block = 0; block < blocks; ++block) sum += partial[block * stride + column];
  total[column] = sum;
}

}  // namespace

template <class Body>
void for_rows(CudaExec exec, const Body& body, std::int64_t rows) {
  if (body.width >= kWideRow) {
    cuda::launch(exec, rows_by_block<Body>, {dim3(static_cast<unsigned>(rows)), dim3(kBlock)}, body,
                 rows);
  } else {
    cuda::launch(exec, rows_by_warp<Body>, cuda::one_thread_each(rows * kWarp), body, rows);
  }
}

template <class Body, class Columns>
void for_rows_with_sums(CudaExec exec, const Body& body, const Columns& columns, std::int64_t rows,
                        const Tensor* const* sums) {
  using C = Compute<typename Columns::Element>;
  const std::int64_t width = columns.width, blocks = cuda::ceil_div(rows, kRowsPerSum);
  const std::int64_t stride = Columns::kSums * width;
  const Tensor partial =
      Tensor::empty({blocks, stride}, dtype_of<C>, {DeviceKind::cuda, exec.device});
  cuda::Grid grid = cuda::one_thread_each(width);
  grid.blocks.y = static_cast<unsigned>(blocks);
  cuda::launch(exec, partial_sums<Columns>, grid, columns, rows, partial.data<C>());
  for (int k = 0; k < Columns::kSums; ++k) {
    cuda::launch(exec, add_partial_sums<C>, cuda::one_thread_each(width),
                 partial.data<C>() + k * width, blocks, stride, width, sums[k]->data<C>());
  }
  for_rows(exec, body, rows);  // after the sums: it may overwrite what they read
}

namespace {

[[gnu::used]] auto f32_kernels = emit_all_rows<CudaExec, float>();
[[gnu::used]] auto f64_kernels = emit_all_rows<CudaExec, double>();
[[gnu::used]] auto bf16_kernels = emit_all_rows<CudaExec, BFloat16>();

}  // namespace
}  // namespace kette::kernels

// Row bodies on CUDA. A warp takes a row and holds it in registers (register_row.h) if the body
// lists its addresses and rows come in packs of 16 bytes. Otherwise its lanes (for wide rows a
// block's threads) access the elements in place. Sums over rows take two stages over fixed blocks
// of rows, without atomics, so that the order of additions never changes.
#include <algorithm>

#include "tensor/cuda/column_sum.h"
#include "tensor/cuda/register_row.h"
#include "tensor/emit.h"

namespace kette::kernels {
namespace {

using cuda::kWarp;

/// The dropout factors of a row for one thread. A thread of a warp takes every 32nd element, so
/// four consecutive ones come from one Philox block, which is drawn once.
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

/// The group for a row body: `kThreads` neighbouring threads, a warp or a whole block.
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
  /// A thread always takes the same elements, so it may read what it wrote without a barrier.
  template <class Function>
  __device__ void each(std::int64_t count, const Function& function) const {
    for (std::int64_t j = rank(); j < count; j += kThreads) function(j);
  }
  template <class Function>
  __device__ void once(const Function& function) const {
    if (rank() == 0) function();
  }
  // Rows are accessed in place.
  template <class T>
  __device__ const T* read(const T* row, std::int64_t) const {
    return row;
  }
  template <class T>
  __device__ T* write(T* row, std::int64_t) const {
    return row;
  }
  template <class T>
  __device__ T* update(T* row, std::int64_t) const {
    return row;
  }
  template <class T>
  __device__ void store(const T*, T*, std::int64_t) const {}
  __device__ RowMask mask(const DropoutMask& mask, std::int64_t row, std::int64_t width) const {
    return {mask, row, width};
  }
};

constexpr int kBlock = 256, kWarps = kBlock / kWarp;
constexpr std::int64_t kWideRow = 4096;

/// If rows of this body come in packs and fit into registers, calls function() with the number of
/// passes as a constant. Returns whether it did.
template <class Body, class Function>
bool with_passes(const Body& body, const Function& function) {
  using T = typename Body::Element;
  if constexpr (requires { body.addresses(); } && !std::is_same_v<T, double>) {
    if (!cuda::whole_packs<T>({body.width}, {})) return false;
    for (const void* address : body.addresses()) {
      if (!cuda::whole_packs<T>({}, {address})) return false;
    }
    const std::int64_t passes = cuda::ceil_div(body.width, cuda::RegisterGroup<T, 1>::kPassWidth);
    if (passes > 8) return false;
    passes <= 1   ? function.template operator()<1>()
    : passes <= 2 ? function.template operator()<2>()
    : passes <= 4 ? function.template operator()<4>()
                  : function.template operator()<8>();
    return true;
  } else {
    return false;
  }
}

template <class Body, int kPasses>
__global__ void rows_in_registers(Body body, std::int64_t rows) {
  cuda::await_earlier_kernels();
  const std::int64_t row = cuda::index() / kWarp;
  if (row < rows) body(cuda::RegisterGroup<typename Body::Element, kPasses>{}, row);
}

template <class Body>
__global__ void rows_by_warp(Body body, std::int64_t rows) {
  cuda::await_earlier_kernels();
  const std::int64_t row = cuda::index() / kWarp;
  if (row < rows) body(CudaGroup<kWarp>{}, row);
}

template <class Body>
__global__ void rows_by_block(Body body, std::int64_t rows) {
  cuda::await_earlier_kernels();
  const std::int64_t row = blockIdx.x;
  if (row < rows) body(CudaGroup<kBlock>{}, row);
}

/// partial[block, k, column]: a block's warps take its rows in turn and then add their sums.
template <class Body, int kPasses, class C = Compute<typename Body::Element>>
__global__ void rows_with_sums_in_registers(Body body, std::int64_t rows,
                                            std::int64_t rows_per_block, C* partial) {
  using T = typename Body::Element;
  using Group = cuda::RegisterGroup<T, kPasses>;
  constexpr int kElements = static_cast<int>(Group::kPassWidth);
  __shared__ C parts[kWarps][kElements];
  const unsigned warp = threadIdx.x / kWarp;
  const std::int64_t begin = blockIdx.x * rows_per_block;
  const std::int64_t end = begin + rows_per_block < rows ? begin + rows_per_block : rows;
  cuda::RegisterSums<T, kPasses, Body::kSums> sums{};
  for (std::int64_t row = begin + warp; row < end; row += kWarps) body(Group{}, row, sums);
  KETTE_UNROLL for (int k = 0; k < Body::kSums; ++k) {
    KETTE_UNROLL for (int pass = 0; pass < kPasses; ++pass) {
      KETTE_UNROLL for (int e = 0; e < Group::kCount; ++e) {
        parts[warp][Group::lane() * Group::kCount + e] = sums[k][{pass, e}];
      }
      __syncthreads();
      const std::int64_t column = pass * Group::kPassWidth + threadIdx.x;
      if (threadIdx.x < kElements && column < body.width) {
        C total = 0;
        for (int w = 0; w < kWarps; ++w) total += parts[w][threadIdx.x];
        partial[(blockIdx.x * Body::kSums + k) * body.width + column] = total;
      }
      __syncthreads();
    }
  }
}

/// The sums of a block, in place.
template <class C>
struct SumsInMemory {
  C* data;
  std::int64_t width;
  __device__ C* operator[](int k) const { return data + k * width; }
};

/// The same on one group of threads, without registers.
template <class Body, int kThreads, class C = Compute<typename Body::Element>>
__global__ void rows_with_sums(Body body, std::int64_t rows, std::int64_t rows_per_block,
                               C* partial) {
  const CudaGroup<kThreads> group;
  const std::int64_t stride = Body::kSums * body.width;
  SumsInMemory<C> sums{partial + blockIdx.x * stride, body.width};
  for (int k = 0; k < Body::kSums; ++k) {
    group.each(body.width, [&](std::int64_t j) { sums[k][j] = 0; });
  }
  const std::int64_t begin = blockIdx.x * rows_per_block;
  const std::int64_t end = begin + rows_per_block < rows ? begin + rows_per_block : rows;
  for (std::int64_t row = begin; row < end; ++row) body(group, row, sums);
}

/// The destinations of the sums: kSums vectors [width].
template <class C, int kSums>
struct Totals {
  C* of[kSums];
};

/// total[column] += the sum over all blocks.
template <class C, int kSums>
__global__ void add_partial_sums(const C* partial, std::int64_t blocks, std::int64_t width,
                                 Totals<C, kSums> totals) {
  const std::int64_t stride = kSums * width;
  const std::int64_t column = std::int64_t{blockIdx.x} * kWarp + threadIdx.x;
  const C sum = cuda::column_sum(partial, 0, blocks, stride, column, column < stride);
  if (threadIdx.y > 0 || column >= stride) return;
  for (int k = 0; k < kSums; ++k) {
    if (column / width == k) totals.of[k][column - k * width] += sum;
  }
}

}  // namespace

template <class Body>
void for_rows(CudaExec exec, const Body& body, std::int64_t rows) {
  cuda::Grid grid = cuda::one_thread_each(rows * kWarp);
  grid.starts_early = true;
  const bool done = with_passes(body, [&]<int kPasses>() {
    cuda::launch(exec, rows_in_registers<Body, kPasses>, grid, body, rows);
  });
  if (done) return;
  if (body.width < kWideRow) return cuda::launch(exec, rows_by_warp<Body>, grid, body, rows);
  grid.blocks = dim3(static_cast<unsigned>(rows));
  grid.threads = dim3(kBlock);
  cuda::launch(exec, rows_by_block<Body>, grid, body, rows);
}

template <class Body>
void for_rows_with_sums(CudaExec exec, const Body& body, std::int64_t rows,
                        const Tensor* const* sums) {
  using C = Compute<typename Body::Element>;
  constexpr std::int64_t kMany = 1 << 14;  // rows that keep a GPU busy in blocks of 64
  if (rows == 0) return;
  const std::int64_t width = body.width, rows_per_block = rows >= kMany ? 64 : 16;
  const std::int64_t blocks = cuda::ceil_div(rows, rows_per_block);
  const Tensor partial =
      Tensor::empty({blocks, Body::kSums, width}, dtype_of<C>, {DeviceKind::cuda, exec.device});
  const dim3 grid(static_cast<unsigned>(blocks));
  const bool done = with_passes(body, [&]<int kPasses>() {
    cuda::launch(exec, rows_with_sums_in_registers<Body, kPasses>, {grid, dim3(kBlock)}, body, rows,
                 rows_per_block, partial.data<C>());
  });
  if (!done && width >= kWideRow) {
    cuda::launch(exec, rows_with_sums<Body, kBlock>, {grid, dim3(kBlock)}, body, rows,
                 rows_per_block, partial.data<C>());
  } else if (!done) {
    cuda::launch(exec, rows_with_sums<Body, kWarp>, {grid, dim3(kWarp)}, body, rows, rows_per_block,
                 partial.data<C>());
  }
  Totals<C, Body::kSums> totals;
  for (int k = 0; k < Body::kSums; ++k) totals.of[k] = sums[k]->data<C>();
  const std::int64_t columns = Body::kSums * width;
  cuda::launch(
      exec, add_partial_sums<C, Body::kSums>,
      {dim3(static_cast<unsigned>(cuda::ceil_div(columns, kWarp))), cuda::column_sum_threads()},
      partial.data<C>(), blocks, width, totals);
}

namespace {

[[gnu::used]] auto f32_kernels = emit_all_rows<CudaExec, float>();
[[gnu::used]] auto f64_kernels = emit_all_rows<CudaExec, double>();
[[gnu::used]] auto bf16_kernels = emit_all_rows<CudaExec, BFloat16>();

}  // namespace
}  // namespace kette::kernels

// Sums that undo a broadcast, maxima of rows, the norm, and the search for a NaN. Sums take two
// stages, fixed blocks and then all blocks, so that the order of additions never changes.
#include "tensor/cuda/launch.h"
#include "tensor/sum_axes.h"

namespace kette::kernels {
namespace {

using cuda::kThreads, cuda::kWarp, cuda::launch;

constexpr std::int64_t kReducedPerBlock = 64;
constexpr std::int64_t kElementsPerBlock = 16384;

template <class T>
__global__ void sum_rows(std::int64_t width, const T* x, Compute<T>* y) {
  using C = Compute<T>;
  const std::int64_t row = blockIdx.x;
  // A thread sums parts, then the parts: one f32 sum of many thousands would lose digits.
  constexpr int kTermsOfPart = 128;
  C total = 0;
  for (std::int64_t j = threadIdx.x; j < width;) {
    C part = 0;
    for (int i = 0; i < kTermsOfPart && j < width; ++i, j += kThreads)
      part += C(x[row * width + j]);
    total += part;
  }
  total = cuda::block_sum(total);
  if (threadIdx.x == 0) y[row] = total;
}

/// x: [outer, reduced, inner] -> partial: [outer, blocks, inner]; one thread per result.
template <class T, class C = Compute<T>>
__global__ void sum_blocks(AxisRun run, std::int64_t blocks, const T* x, C* partial) {
  const std::int64_t i = cuda::index();
  if (i >= run.outer * blocks * run.inner) return;
  const std::int64_t j = i % run.inner, block = i / run.inner % blocks,
                     row = i / run.inner / blocks;
  const std::int64_t begin = block * kReducedPerBlock;
  const std::int64_t end =
      begin + kReducedPerBlock < run.reduced ? begin + kReducedPerBlock : run.reduced;
  C total = 0;
  for (std::int64_t r = begin; r < end; ++r) total += C(x[(row * run.reduced + r) * run.inner + j]);
  partial[i] = total;
}

template <class C>
__global__ void sum_partial(AxisRun run, std::int64_t blocks, const C* partial, C* y) {
  const std::int64_t i = cuda::index();
  if (i >= run.outer * run.inner) return;
  const std::int64_t j = i % run.inner, row = i / run.inner;
  double total = 0;  // one f32 sum of many thousands would lose digits
  for (std::int64_t block = 0; block < blocks; ++block) {
    total += double(partial[(row * blocks + block) * run.inner + j]);
  }
  y[i] = C(total);
}

template <class T>
void sum_middle(CudaExec exec, const AxisRun& run, const T* x, Compute<T>* y) {
  using C = Compute<T>;
  if (run.inner == 1) {
    launch(exec, sum_rows<T>, {dim3(static_cast<unsigned>(run.outer)), dim3(kThreads)}, run.reduced,
           x, y);
    return;
  }
  const std::int64_t blocks = cuda::ceil_div(run.reduced, kReducedPerBlock);
  const Tensor partial =
      Tensor::empty({run.outer, blocks, run.inner}, dtype_of<C>, {DeviceKind::cuda, exec.device});
  launch(exec, sum_blocks<T>, cuda::one_thread_each(partial.elements()), run, blocks, x,
         partial.data<C>());
  launch(exec, sum_partial<C>, cuda::one_thread_each(run.outer * run.inner), run, blocks,
         partial.data<C>(), y);
}

/// A warp per row.
template <class T>
__global__ void max_of_rows(std::int64_t rows, std::int64_t width, const T* x, T* y,
                            std::int32_t* columns) {
  using C = Compute<T>;
  const std::int64_t row = cuda::index() / kWarp;
  if (row >= rows) return;
  const T* in = x + row * width;
  // A lane's first column. Lanes past a narrow row repeat column 0, which is harmless.
  std::int64_t best = threadIdx.x % kWarp < width ? threadIdx.x % kWarp : 0;
  for (std::int64_t j = best; j < width; j += kWarp) {
    if (scalar::is_larger(C(in[j]), C(in[best]))) best = j;
  }
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    const std::int64_t other = __shfl_xor_sync(0xffffffffu, best, distance);
    const C mine = C(in[best]), others = C(in[other]);
    if (other < best ? !scalar::is_larger(mine, others) : scalar::is_larger(others, mine)) {
      best = other;
    }
  }
  if (threadIdx.x % kWarp == 0) {
    y[row] = in[best];
    columns[row] = static_cast<std::int32_t>(best);
  }
}

template <class T>
__global__ void sum_squares(std::int64_t count, const T* x, double* partial) {
  const std::int64_t begin = blockIdx.x * kSquaresBlock;
  const std::int64_t end = begin + kSquaresBlock < count ? begin + kSquaresBlock : count;
  double total = 0;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += kThreads) {
    const double value = static_cast<double>(Compute<T>(x[i]));
    total += value * value;
  }
  total = cuda::block_sum(total);
  if (threadIdx.x == 0) partial[blockIdx.x] = total;
}

/// first[block] = the index of the block's first NaN or infinity, as an exact double, else
/// infinity.
template <class T>
__global__ void find_non_finite(std::int64_t count, const T* x, double* first) {
  const std::int64_t begin = blockIdx.x * kElementsPerBlock;
  const std::int64_t end = begin + kElementsPerBlock < count ? begin + kElementsPerBlock : count;
  double found = std::numeric_limits<double>::infinity();
  for (std::int64_t i = end - 1 - threadIdx.x; i >= begin; i -= kThreads) {
    const Compute<T> value = Compute<T>(x[i]);
    if (!(value - value == 0)) found = static_cast<double>(i);
  }
  found = -cuda::block_max(-found);
  if (threadIdx.x == 0) first[blockIdx.x] = found;
}

/// *sum = the sum of the blocks' sums.
__global__ void sum_in_one_block(std::int64_t blocks, const double* partial, double* sum) {
  double total = 0;
  for (std::int64_t i = threadIdx.x; i < blocks; i += kThreads) total += partial[i];
  total = cuda::block_sum(total);
  if (threadIdx.x == 0) *sum = total;
}

}  // namespace

void sum_to(CudaExec exec, const Tensor& x, const Tensor& y) {
  sum_axis_runs(x, y, [&](const Tensor& from, const Tensor& to, const AxisRun& run) {
    visit_float(from.dtype(), "sum",
                [&]<class T>(T) { sum_middle(exec, run, from.data<T>(), to.data<Compute<T>>()); });
  });
}

void max_last(CudaExec exec, const Tensor& x, const Tensor& y, const Tensor& columns) {
  visit_float(x.dtype(), "max", [&]<class T>(T) {
    launch(exec, max_of_rows<T>, cuda::one_thread_each(x.rows() * kWarp), x.rows(), x.width(),
           x.data<T>(), y.data<T>(), columns.data<std::int32_t>());
  });
}

void squares_of_blocks(CudaExec exec, const Tensor& x, const Tensor& sums) {
  visit_float(x.dtype(), "squares_of_blocks", [&]<class T>(T) {
    const auto blocks = static_cast<unsigned>(cuda::ceil_div(x.elements(), kSquaresBlock));
    launch(exec, sum_squares<T>, {dim3(blocks), dim3(kThreads)}, x.elements(), x.data<T>(),
           sums.data<double>());
  });
}

void sum_of_blocks(CudaExec exec, const Tensor& sums, const Tensor& sum) {
  launch(exec, sum_in_one_block, {dim3(1), dim3(kThreads)}, sums.elements(), sums.data<double>(),
         sum.data<double>());
}

std::optional<std::int64_t> first_non_finite(CudaExec exec, const Tensor& x) {
  return visit_float(x.dtype(), "first_non_finite", [&]<class T>(T) -> std::optional<std::int64_t> {
    const std::int64_t blocks = cuda::ceil_div(x.elements(), kElementsPerBlock);
    const Tensor results = Tensor::empty({blocks}, DType::f64, x.device());
    launch(exec, find_non_finite<T>, {dim3(static_cast<unsigned>(blocks)), dim3(kThreads)},
           x.elements(), x.data<T>(), results.data<double>());
    for (const double first : results.template values<double>()) {
      if (std::isfinite(first)) return static_cast<std::int64_t>(first);
    }
    return std::nullopt;
  });
}

}  // namespace kette::kernels

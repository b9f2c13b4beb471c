// y = activation(scale * product + bias), its derivative, and sums over rows. Elementwise kernels
// use packs of 16 bytes if sizes and addresses allow it.
#include <algorithm>

#include "tensor/cuda/column_sum.h"
#include "tensor/cuda/matmul_epilogue.h"
#include "tensor/cuda/pack.h"

namespace kette {
namespace cuda {
namespace {

/// One block for each row of the batch and kThreads packs of its columns; `packs`, ld and
/// batch_stride count packs. bias and before may be null.
template <class T, int kCount, class Function>
__global__ void finish_elements(Function function, unsigned rows, std::int64_t packs,
                                std::int64_t ld, std::int64_t batch_stride, Compute<T> scale,
                                const T* product, const T* bias, T* before, T* y) {
  using C = Compute<T>;
  using Elements = Pack<T, kCount>;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.y) * blockDim.x + threadIdx.x;
  if (column >= packs) return;
  const std::int64_t at = blockIdx.x / rows * batch_stride + blockIdx.x % rows * ld + column;
  Elements sums = scale != C(0) ? Elements::load(product, at) : Elements();
  Elements results = bias ? Elements::load(bias, column) : Elements();
  for (int i = 0; i < kCount; ++i) {
    sums.values[i] = T(scale * C(sums.values[i]) + C(results.values[i]));
    results.values[i] = T(function.forward(C(sums.values[i])));
  }
  if (before) sums.store(before, at);
  results.store(y, at);
}

template <class T, int kCount, class Function>
void launch_finish(CudaExec exec, Function function, const MatmulArgs& args, const void* product,
                   double scale) {
  const std::int64_t packs = args.n / kCount;
  const std::int64_t threads = std::min<std::int64_t>(kThreads, ceil_div(packs, kWarp) * kWarp);
  const Grid grid{dim3(static_cast<unsigned>(args.batch * args.m),
                       static_cast<unsigned>(ceil_div(packs, threads))),
                  dim3(static_cast<unsigned>(threads))};
  launch(exec, finish_elements<T, kCount, Function>, grid, function, args.m, packs,
         args.ldc / kCount, args.batch_stride_c / kCount, scale, static_cast<const T*>(product),
         static_cast<const T*>(args.bias), static_cast<T*>(args.pre_activation),
         static_cast<T*>(args.c));
}

constexpr int kDerivativeLanes = 8;
constexpr std::int64_t kRowsPerSum = 256;

/// y[block of rows, column] (+)= the sum over the block.
template <class T, class C = Compute<T>>
__global__ void column_sums(const T* x, std::int64_t rows, std::int64_t width, std::int64_t ld,
                            std::int64_t rows_per_sum, bool adds, C* y) {
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kWarp + threadIdx.x;
  const std::int64_t begin = blockIdx.y * rows_per_sum;
  const std::int64_t end = begin + rows_per_sum < rows ? begin + rows_per_sum : rows;
  const C sum = column_sum(x, begin, end, ld, column, column < width);
  if (threadIdx.y > 0 || column >= width) return;
  C& total = y[blockIdx.y * width + column];
  total = adds ? total + sum : sum;
}

/// dx = dy * activation'(saved), a pack of each, which is also returned.
template <class T, int kCount, class Function>
__device__ Pack<T, kCount> differentiate_pack(Function function, std::int64_t at, const T* saved,
                                              const T* dy, T* dx) {
  using C = Compute<T>;
  const auto kept = Pack<T, kCount>::load(saved, at);
  auto gradients = Pack<T, kCount>::load(dy, at);
  KETTE_UNROLL for (int i = 0; i < kCount; ++i) {
    // `saved` is y for relu, whose derivative needs only y, and x for the others, which need only
    // x.
    const C value = C(kept.values[i]);
    gradients.values[i] = T(function.backward(value, value, C(gradients.values[i])));
  }
  gradients.store(dx, at);
  return gradients;
}

template <class T, int kCount, class Function>
__global__ void activation_backward_elements(Function function, std::int64_t packs, const T* saved,
                                             const T* dy, T* dx) {
  const std::int64_t at = index();
  if (at < packs) differentiate_pack<T, kCount>(function, at, saved, dy, dx);
}

/// dx = dy * activation'(kept), and partial[block of rows, column] = the sum of dx over the block.
template <class T, int kCount, class Function, class C = Compute<T>>
__global__ void differentiate_with_sums(Function function, std::int64_t rows, std::int64_t packs,
                                        const T* kept, const T* dy, T* dx, C* partial) {
  __shared__ C parts[kDerivativeLanes][kWarp * kCount];
  const std::int64_t pack = std::int64_t{blockIdx.x} * kWarp + threadIdx.x;
  const std::int64_t begin = blockIdx.y * kRowsPerSum;
  const std::int64_t end = begin + kRowsPerSum < rows ? begin + kRowsPerSum : rows;
  C sums[kCount] = {};
  for (std::int64_t row = begin + threadIdx.y; pack < packs && row < end; row += kDerivativeLanes) {
    const auto gradients =
        differentiate_pack<T, kCount>(function, row * packs + pack, kept, dy, dx);
    KETTE_UNROLL for (int i = 0; i < kCount; ++i) sums[i] += C(gradients.values[i]);
  }
  KETTE_UNROLL for (int i = 0; i < kCount; ++i) {
    parts[threadIdx.y][threadIdx.x * kCount + i] = sums[i];
  }
  __syncthreads();
  if (threadIdx.y > 0 || pack >= packs) return;
  for (int i = 0; i < kCount; ++i) {
    C sum = 0;
    for (int lane = 0; lane < kDerivativeLanes; ++lane) {
      sum += parts[lane][threadIdx.x * kCount + i];
    }
    partial[(blockIdx.y * packs + pack) * kCount + i] = sum;
  }
}

template <class T, int kCount, class Function>
void launch_derivative(CudaExec exec, Function function, const T* kept, const T* dy, T* dx,
                       std::int64_t rows, std::int64_t width, Compute<T>* sums) {
  using C = Compute<T>;
  const std::int64_t packs = width / kCount, blocks = ceil_div(rows, kRowsPerSum);
  if (sums == nullptr) {
    launch(exec, activation_backward_elements<T, kCount, Function>, one_thread_each(rows * packs),
           function, rows * packs, kept, dy, dx);
    return;
  }
  const Tensor partial =
      Tensor::empty({blocks, width}, dtype_of<C>, {DeviceKind::cuda, exec.device});
  launch(exec, differentiate_with_sums<T, kCount, Function>,
         {dim3(static_cast<unsigned>(ceil_div(packs, kWarp)), static_cast<unsigned>(blocks)),
          dim3(kWarp, kDerivativeLanes)},
         function, rows, packs, kept, dy, dx, partial.data<C>());
  launch(exec, column_sums<C>,
         {dim3(static_cast<unsigned>(ceil_div(width, kWarp))), column_sum_threads()},
         partial.data<C>(), blocks, width, width, blocks, true, sums);
}

}  // namespace

template <class T>
void differentiate(CudaExec exec, Activation activation, const T* kept, const T* dy, T* dx,
                   std::int64_t rows, std::int64_t width, Compute<T>* sums) {
  visit_activation(activation, [&]<class Function>(Function function) {
    const bool in_packs = whole_packs<T>({width}, {kept, dy, dx});
    (in_packs ? launch_derivative<T, kPack<T>, Function>
              : launch_derivative<T, 1, Function>)(exec, function, kept, dy, dx, rows, width, sums);
  });
}

template void differentiate(CudaExec, Activation, const float*, const float*, float*, std::int64_t,
                            std::int64_t, float*);
template void differentiate(CudaExec, Activation, const double*, const double*, double*,
                            std::int64_t, std::int64_t, double*);
template void differentiate(CudaExec, Activation, const BFloat16*, const BFloat16*, BFloat16*,
                            std::int64_t, std::int64_t, float*);

void finish_product(CudaExec exec, const MatmulArgs& given, const void* product, double scale) {
  MatmulArgs args = given;
  const bool changes = args.bias || scale != 1;
  if (!changes && args.pre_activation == product) args.pre_activation = nullptr;  // it is there
  if (!changes && args.activation == Activation::none && !args.pre_activation && args.c == product)
    return;
  visit_float(args.result_dtype(), "matmul", [&]<class T>(T) {
    const auto finish = [&]<class Function>(Function function) {
      const bool in_packs = whole_packs<T>({args.n, args.ldc, args.batch_stride_c},
                                           {product, args.bias, args.pre_activation, args.c});
      (in_packs ? launch_finish<T, kPack<T>, Function>
                : launch_finish<T, 1, Function>)(exec, function, args, product, scale);
    };
    if (args.activation == Activation::none) return finish(Affine{1, 0});
    visit_activation(args.activation, finish);
  });
}

template <class T>
void add_rows(CudaExec exec, const T* x, std::int64_t rows, std::int64_t width, std::int64_t ld,
              Compute<T>* y) {
  using C = Compute<T>;
  const std::int64_t blocks = ceil_div(rows, kRowsPerSum);
  Grid grid{dim3(static_cast<unsigned>(ceil_div(width, kWarp))), column_sum_threads()};
  if (blocks <= 1) {
    launch(exec, column_sums<T>, grid, x, rows, width, ld, rows, true, y);
    return;
  }
  const Tensor partial =
      Tensor::empty({blocks, width}, dtype_of<C>, {DeviceKind::cuda, exec.device});
  grid.blocks.y = static_cast<unsigned>(blocks);
  launch(exec, column_sums<T>, grid, x, rows, width, ld, kRowsPerSum, false, partial.data<C>());
  grid.blocks.y = 1;
  launch(exec, column_sums<C>, grid, partial.data<C>(), blocks, width, width, blocks, true, y);
}

template void add_rows(CudaExec, const float*, std::int64_t, std::int64_t, std::int64_t, float*);
template void add_rows(CudaExec, const double*, std::int64_t, std::int64_t, std::int64_t, double*);
template void add_rows(CudaExec, const BFloat16*, std::int64_t, std::int64_t, std::int64_t, float*);

}  // namespace cuda

namespace kernels {

void add_rows(CudaExec exec, const Tensor& x, const Tensor& y) {
  const std::int64_t width = y.elements(), rows = x.elements() / std::max<std::int64_t>(1, width);
  visit_float(x.dtype(), "add_rows", [&]<class T>(T) {
    cuda::add_rows(exec, x.data<T>(), rows, width, width, y.data<Compute<T>>());
  });
}

void activation_backward(CudaExec exec, Activation activation, const Tensor& saved,
                         const Tensor& dy, const Tensor& dx) {
  if (activation == Activation::none) {
    if (dx.raw() != dy.raw()) dx.copy_from(dy);
    return;
  }
  visit_float(dy.dtype(), "activation_backward", [&]<class T>(T) {
    cuda::differentiate<T>(exec, activation, saved.data<T>(), dy.data<T>(), dx.data<T>(), dy.rows(),
                           dy.width(), nullptr);
  });
}

}  // namespace kernels
}  // namespace kette

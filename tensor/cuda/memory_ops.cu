// Kernels that mostly move memory: fill, convert, accumulate, scale, transpose, scatter-add, and
// Adam.
#include "tensor/adam_update.h"
#include "tensor/cuda/launch.h"

namespace kette::kernels {
namespace {

using cuda::index, cuda::launch, cuda::one_thread_each;

template <class T>
__global__ void fill_elements(std::int64_t count, T value, T* y) {
  if (const std::int64_t i = index(); i < count) y[i] = value;
}

template <class From, class To>
__global__ void cast_elements(std::int64_t count, const From* x, To* y) {
  if (const std::int64_t i = index(); i < count) {
    y[i] = static_cast<To>(static_cast<Compute<To>>(static_cast<Compute<From>>(x[i])));
  }
}

template <class T>
__global__ void accumulate_elements(std::int64_t count, const T* x, T* y) {
  if (const std::int64_t i = index(); i < count) y[i] = T(Compute<T>(y[i]) + Compute<T>(x[i]));
}

template <class T, class F>
__global__ void scale_elements(std::int64_t count, const F* factor, T* y) {
  const Compute<T> by = static_cast<Compute<T>>(static_cast<Compute<F>>(*factor));
  if (const std::int64_t i = index(); i < count && by != 1) y[i] = T(Compute<T>(y[i]) * by);
}

template <class Update>
__global__ void update_elements(std::int64_t count, Update update) {
  if (const std::int64_t i = index(); i < count) update(i);
}

constexpr int kTile = 32, kTileRows = 8;

/// A tile of 32 x 32 passes through shared memory, so that reads and writes are both along rows.
template <class T>
__global__ void transpose_tiles(std::int64_t rows, std::int64_t columns, const T* x, T* y) {
  T* tile = cuda::shared_memory<T>();  // [kTile, kTile + 1]: the one keeps columns in other banks
  const std::int64_t matrix = blockIdx.z * rows * columns;
  const std::int64_t left = std::int64_t{blockIdx.x} * kTile,
                     top = std::int64_t{blockIdx.y} * kTile;
  for (std::int64_t r = threadIdx.y; r < kTile; r += kTileRows) {
    const std::int64_t row = top + r, column = left + threadIdx.x;
    if (row < rows && column < columns) {
      tile[r * (kTile + 1) + threadIdx.x] = x[matrix + row * columns + column];
    }
  }
  __syncthreads();
  for (std::int64_t r = threadIdx.y; r < kTile; r += kTileRows) {
    const std::int64_t row = left + r, column = top + threadIdx.x;  // of the result
    if (row < columns && column < rows) {
      y[matrix + row * rows + column] = tile[threadIdx.x * (kTile + 1) + r];
    }
  }
}

constexpr int kOwned = 32;  // table entries of a block

/// A block owns a range of table entries. It reads all ids in order, a block's width at a time,
/// notes the rows that are its own, and adds them in that order: no atomics, one order of additions.
template <class T>
__global__ void scatter_add_rows(std::int64_t rows, std::int64_t width, std::int64_t entries,
                                 Compute<T> factor, const std::int32_t* ids, const T* dy,
                                 T* table) {
  using C = Compute<T>;
  __shared__ std::int32_t found[cuda::kThreads], found_before[cuda::kThreads / cuda::kWarp];
  const std::int64_t begin = std::int64_t{blockIdx.x} * kOwned;
  const std::int64_t end = begin + kOwned < entries ? begin + kOwned : entries;
  const unsigned lane = threadIdx.x % cuda::kWarp, warp = threadIdx.x / cuda::kWarp;
  for (std::int64_t first = 0; first < rows; first += cuda::kThreads) {
    const std::int64_t row = first + threadIdx.x;
    const bool own = row < rows && ids[row] >= begin && ids[row] < end;
    const unsigned votes = __ballot_sync(0xffffffffu, own);
    if (lane == 0) found_before[warp] = __popc(votes);
    __syncthreads();
    int at = __popc(votes & ((1u << lane) - 1)), count = 0;
    for (unsigned w = 0; w < cuda::kThreads / cuda::kWarp; ++w) {
      if (w < warp) at += found_before[w];
      count += found_before[w];
    }
    if (own) found[at] = static_cast<std::int32_t>(row);
    __syncthreads();
    for (int i = 0; i < count; ++i) {
      const std::int64_t from = found[i], to = ids[from];
      for (std::int64_t j = threadIdx.x; j < width; j += cuda::kThreads) {
        T& sum = table[to * width + j];
        sum = T(C(sum) + factor * C(dy[from * width + j]));
      }
    }
    __syncthreads();
  }
}

}  // namespace

void fill(CudaExec exec, const Tensor& y, double value) {
  visit_any(y.dtype(), [&]<class T>(T) {
    launch(exec, fill_elements<T>, one_thread_each(y.elements()), y.elements(),
           static_cast<T>(static_cast<Compute<T>>(value)), y.data<T>());
  });
}

void cast(CudaExec exec, const Tensor& x, const Tensor& y) {
  visit_any(x.dtype(), [&]<class From>(From) {
    visit_any(y.dtype(), [&]<class To>(To) {
      launch(exec, cast_elements<From, To>, one_thread_each(x.elements()), x.elements(),
             x.data<From>(), y.data<To>());
    });
  });
}

void accumulate(CudaExec exec, const Tensor& x, const Tensor& y) {
  visit_float(y.dtype(), "accumulate", [&]<class T>(T) {
    launch(exec, accumulate_elements<T>, one_thread_each(y.elements()), y.elements(), x.data<T>(),
           y.data<T>());
  });
}

void scale(CudaExec exec, const Tensor& y, const Tensor& factor) {
  visit_float(y.dtype(), "scale", [&]<class T>(T) {
    visit_float(factor.dtype(), "scale", [&]<class F>(F) {
      launch(exec, scale_elements<T, F>, one_thread_each(y.elements()), y.elements(),
             factor.data<F>(), y.data<T>());
    });
  });
}

void transpose(CudaExec exec, const Tensor& x, const Tensor& y, std::int64_t batch,
               std::int64_t rows, std::int64_t columns) {
  visit_any(x.dtype(), [&]<class T>(T) {
    const dim3 tiles(static_cast<unsigned>(cuda::ceil_div(columns, kTile)),
                     static_cast<unsigned>(cuda::ceil_div(rows, kTile)),
                     static_cast<unsigned>(batch));
    launch(exec, transpose_tiles<T>,
           {tiles, dim3(kTile, kTileRows), sizeof(T) * kTile * (kTile + 1)}, rows, columns,
           x.data<T>(), y.data<T>());
  });
}

void scatter_add(CudaExec exec, const Tensor& dy, const Tensor& ids, const Tensor& table,
                 double factor) {
  const std::int64_t entries = table.rows();
  visit_float(dy.dtype(), "embedding", [&]<class T>(T) {
    const dim3 blocks(static_cast<unsigned>(cuda::ceil_div(entries, kOwned)));
    launch(exec, scatter_add_rows<T>, {blocks, dim3(cuda::kThreads)}, ids.elements(), table.width(),
           entries, static_cast<Compute<T>>(factor), ids.data<std::int32_t>(), dy.data<T>(),
           table.data<T>());
  });
}

void adam(CudaExec exec, const AdamArgs& args) {
  const std::int64_t count = args.parameters.elements();
  visit_adam(args, [&]<class Update>(const Update& update) {
    launch(exec, update_elements<Update>, one_thread_each(count), count, update);
  });
}

}  // namespace kette::kernels

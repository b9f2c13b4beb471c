// Products with weights that were packed once: y = activation(x W^T + bias), W: [out, in].
// W lies in panels of kPanel columns, [panels, depth, kPanel], depth being `in` rounded up with
// zeros. Every element of y is added up in one order, whatever the number of rows: kSlice products
// one after the other, then the slices one after the other,
//   y = ((0 + slice 0) + slice 1) + ... + bias,   slice = fma(x_k, w_k, fma(..., fma(x_0, w_0, 0)))
// so that it is a matter of speed alone which of the two kernels below takes it.
#include "tensor/cuda/launch.h"

namespace kette::kernels {
namespace {

using cuda::ceil_div, cuda::kWarp;

constexpr int kPanel = kWarp, kSlice = kWarp;

struct Product {
  const float *x, *panels, *bias;
  float* y;
  std::int64_t rows, in, depth, out;
  Activation activation;

  /// An element of x; 0 where there is none.
  __device__ float x_at(std::int64_t row, std::int64_t k) const {
    return row < rows && k < in ? x[row * in + k] : 0.0f;
  }
  __device__ const float* panel(std::int64_t number) const {
    return panels + number * depth * kPanel;
  }
};

__device__ float4 four(const float* from) { return *reinterpret_cast<const float4*>(from); }

/// Not inlined: both kernels are to round alike here, too.
__device__ __noinline__ float activate(Activation activation, float x) {
  switch (activation) {
    case Activation::relu:
      return Relu().forward(x);
    case Activation::gelu:
      return Gelu().forward(x);
    case Activation::silu:
      return Silu().forward(x);
    case Activation::none:
      break;
  }
  return x;
}

__device__ void finish(const Product& product, std::int64_t row, std::int64_t column, float total) {
  if (row >= product.rows || column >= product.out) return;
  const float sum = total + product.bias[column];
  product.y[row * product.out + column] =
      product.activation == Activation::none ? sum : activate(product.activation, sum);
}

constexpr int kSlicesAtOnce = 16;  // warps of a block, and the most rows it can finish

/// For little work: a block takes a panel, each of its warps a slice of the depth, so that many
/// loads of W are under way at once and each serves kRows rows.
template <int kRows>
__global__ void __launch_bounds__(kSlicesAtOnce* kWarp, 2) multiply_slices(Product product) {
  static_assert(kRows <= kSlicesAtOnce && kSlice == kWarp && kPanel == kWarp);
  // What a warp needs of x, and then its sums.
  alignas(16) __shared__ float shared[kSlicesAtOnce][kRows][kWarp];
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.y) * kRows;
  const float* panel = product.panel(blockIdx.x);
  const std::int64_t slices = product.depth / kSlice;
  float total = 0;
  for (std::int64_t first = 0; first < slices; first += kSlicesAtOnce) {
    const int count = static_cast<int>(
        slices - first < kSlicesAtOnce ? slices - first : std::int64_t{kSlicesAtOnce});
    if (warp < count) {
      const std::int64_t begin = (first + warp) * kSlice;
      float w[kSlice], sums[kRows] = {};
      for (int k = 0; k < kSlice; ++k) w[k] = panel[(begin + k) * kPanel + lane];
      for (int r = 0; r < kRows; ++r) {
        shared[warp][r][lane] = product.x_at(first_row + r, begin + lane);
      }
      __syncwarp();
      for (int k = 0; k < kSlice; k += 4) {
        for (int r = 0; r < kRows; ++r) {
          const float4 x = four(&shared[warp][r][k]);
          sums[r] = fmaf(x.x, w[k], sums[r]);
          sums[r] = fmaf(x.y, w[k + 1], sums[r]);
          sums[r] = fmaf(x.z, w[k + 2], sums[r]);
          sums[r] = fmaf(x.w, w[k + 3], sums[r]);
        }
      }
      __syncwarp();
      for (int r = 0; r < kRows; ++r) shared[warp][r][lane] = sums[r];
    }
    __syncthreads();
    if (warp < kRows) {
      for (int slice = 0; slice < count; ++slice) total += shared[slice][warp][lane];
    }
    __syncthreads();
  }
  if (warp >= kRows) return;
  finish(product, first_row + warp, static_cast<std::int64_t>(blockIdx.x) * kPanel + lane, total);
}

constexpr int kThreadRows = 8, kThreadColumns = 16, kTileThreads = kThreadRows * kThreadColumns;
constexpr int kTilePanels = 2, kTileColumns = kTilePanels * kPanel;
static_assert(kThreadColumns * 4 == kTileColumns);

/// For many rows: a block takes a tile of y, kThreadRows * kEach by kTileColumns, and a slice of
/// the depth at a time; each thread has kEach rows, kThreadRows apart, of 4 columns. The next slice
/// is under way while one is multiplied.
template <int kEach>
__global__ void __launch_bounds__(kTileThreads) multiply_tile(Product product) {
  constexpr int kRows = kThreadRows * kEach;
  constexpr int kPart = kSlice * kPanel;  // what a panel holds of a slice, side by side
  constexpr int kXLoads = kRows * kSlice / kTileThreads;
  constexpr int kWLoads = kSlice * kTileColumns / 4 / kTileThreads;
  // Rows of x lie 4 banks apart, so that neighbours are read together.
  alignas(16) __shared__ float x_tile[kRows][kSlice + 4];
  alignas(16) __shared__ float w_tile[kSlice][kTileColumns];
  const int thread = static_cast<int>(threadIdx.x);
  const int down = thread / kThreadColumns, across = thread % kThreadColumns * 4;
  const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.y) * kRows;
  const std::int64_t first_panel = static_cast<std::int64_t>(blockIdx.x) * kTilePanels;

  float next_x[kXLoads];
  float4 next_w[kWLoads];
  const auto load = [&](std::int64_t begin) {
    for (int i = 0; i < kXLoads; ++i) {
      const int at = thread + i * kTileThreads;
      next_x[i] = product.x_at(first_row + at / kSlice, begin + at % kSlice);
    }
    for (int i = 0; i < kWLoads; ++i) {
      const int at = (thread + i * kTileThreads) * 4;
      next_w[i] = four(product.panel(first_panel + at / kPart) + begin * kPanel + at % kPart);
    }
  };
  const auto store = [&] {
    for (int i = 0; i < kXLoads; ++i) {
      const int at = thread + i * kTileThreads;
      x_tile[at / kSlice][at % kSlice] = next_x[i];
    }
    for (int i = 0; i < kWLoads; ++i) {
      const int at = (thread + i * kTileThreads) * 4;
      float* to = &w_tile[at % kPart / kPanel][at / kPart * kPanel + at % kPanel];
      *reinterpret_cast<float4*>(to) = next_w[i];
    }
  };

  float totals[kEach][4] = {};
  load(0);
  for (std::int64_t begin = 0; begin < product.depth; begin += kSlice) {
    store();
    __syncthreads();
    if (begin + kSlice < product.depth) load(begin + kSlice);
    float sums[kEach][4] = {};
    for (int k = 0; k < kSlice; k += 4) {
      const float4 w[4] = {four(&w_tile[k][across]), four(&w_tile[k + 1][across]),
                           four(&w_tile[k + 2][across]), four(&w_tile[k + 3][across])};
      for (int r = 0; r < kEach; ++r) {
        const float4 row = four(&x_tile[down + r * kThreadRows][k]);
        const float x[4] = {row.x, row.y, row.z, row.w};
        for (int j = 0; j < 4; ++j) {
          sums[r][0] = fmaf(x[j], w[j].x, sums[r][0]);
          sums[r][1] = fmaf(x[j], w[j].y, sums[r][1]);
          sums[r][2] = fmaf(x[j], w[j].z, sums[r][2]);
          sums[r][3] = fmaf(x[j], w[j].w, sums[r][3]);
        }
      }
    }
    for (int r = 0; r < kEach; ++r) {
      for (int c = 0; c < 4; ++c) totals[r][c] += sums[r][c];
    }
    __syncthreads();
  }
  const std::int64_t first_column = first_panel * kPanel + across;
  for (int r = 0; r < kEach; ++r) {
    for (int c = 0; c < 4; ++c) {
      finish(product, first_row + down + r * kThreadRows, first_column + c, totals[r][c]);
    }
  }
}

/// Rows of W become columns [first, first + rows) of the panels.
__global__ void pack_rows(const float* matrix, std::int64_t rows, std::int64_t in,
                          std::int64_t depth, std::int64_t first, float* panels) {
  const std::int64_t i = cuda::index();
  const std::int64_t row = i / kPanel / in * kPanel + i % kPanel, k = i / kPanel % in;
  if (row >= rows) return;
  const std::int64_t column = first + row;
  panels[(column / kPanel * depth + k) * kPanel + column % kPanel] = matrix[row * in + k];
}

template <int kRows>
void launch_slices(CudaExec exec, const Product& product) {
  cuda::launch(exec, multiply_slices<kRows>,
               {dim3(static_cast<unsigned>(ceil_div(product.out, kPanel)),
                     static_cast<unsigned>(ceil_div(product.rows, kRows))),
                dim3(kSlicesAtOnce * kWarp)},
               product);
}

template <int kEach>
dim3 tiles_of(const Product& product) {
  return dim3(static_cast<unsigned>(ceil_div(product.out, kTileColumns)),
              static_cast<unsigned>(ceil_div(product.rows, kThreadRows * kEach)));
}

template <int kEach>
void launch_tiles(CudaExec exec, const Product& product) {
  cuda::launch(exec, multiply_tile<kEach>, {tiles_of<kEach>(product), dim3(kTileThreads)}, product);
}

}  // namespace

PackedWeight pack_linear(CudaExec exec, const std::vector<Tensor>& matrices,
                         const std::vector<Tensor>& biases) {
  const Device device{DeviceKind::cuda, exec.device};
  PackedWeight packed = PackedWeight::sizes_of(matrices, biases);
  const std::int64_t panels = ceil_div(packed.out, kTileColumns) * kTilePanels;
  const std::int64_t depth = cuda::round_up(packed.in, kSlice);
  packed.panels = Tensor::zeros({panels, depth, kPanel}, DType::f32, device);
  packed.bias = Tensor::zeros({panels * kPanel}, DType::f32, device);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const Tensor matrix = matrices[i].to(DType::f32);
    const std::int64_t threads = cuda::round_up(matrix.rows(), kPanel) * packed.in;
    cuda::launch(exec, pack_rows, cuda::one_thread_each(threads), matrix.data<float>(),
                 matrix.rows(), packed.in, depth, first, packed.panels.data<float>());
    if (!biases.empty())
      packed.bias.view(first, {matrix.rows()}).copy_from(biases[i].to(DType::f32));
    first += matrix.rows();
  }
  return packed;
}

void packed_linear(CudaExec exec, const PackedLinearArgs& args) {
  const PackedWeight& weight = *args.weight;
  const std::int64_t rows = args.x.rows();
  args.check();
  const Product product{args.x.data<float>(),
                        weight.panels.data<float>(),
                        weight.bias.data<float>(),
                        args.y.data<float>(),
                        rows,
                        weight.in,
                        weight.panels.shape()[1],
                        weight.out,
                        args.activation};
  if (rows <= 4) return launch_slices<4>(exec, product);
  if (rows <= 8) return launch_slices<8>(exec, product);
  // Tiles do less for each product, but there must be some for every multiprocessor.
  const auto tiles = [](dim3 blocks) { return std::int64_t{blocks.x} * blocks.y; };
  const int multiprocessors = cuda::multiprocessors(exec);
  if (rows <= 16 || tiles(tiles_of<4>(product)) < multiprocessors) {
    return launch_slices<16>(exec, product);
  }
  if (tiles(tiles_of<8>(product)) < 2 * multiprocessors) return launch_tiles<4>(exec, product);
  launch_tiles<8>(exec, product);
}

}  // namespace kette::kernels

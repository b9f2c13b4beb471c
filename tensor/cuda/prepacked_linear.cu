// Products with prepacked weights: y = activation(x W^T + bias), W: [out, in].
// W is in panels of kPanel columns; the depth is `in`, padded with zeros to whole slices. A panel
// has packs of 16 bytes along the depth, those of its columns side by side: [panels, depth / kPack,
// kPanel, kPack]. So a load of kPanel threads is a line of 128 bytes. W is f32, or bf16 that
// becomes f32 in registers. Every element of y is summed in one order for any number of rows:
// kSlice products in order, then the slices in order,
//   y = ((0 + slice 0) + slice 1) + ... + bias,   slice = fma(x_k, w_k, fma(..., fma(x_0, w_0, 0)))
// so that the two kernels below differ only in speed.
#include <algorithm>

#include "tensor/cuda/launch.h"
#include "tensor/cuda/pack.h"

namespace kette::kernels {
namespace {

using cuda::ceil_div, cuda::four, cuda::kPack, cuda::kWarp, cuda::Pack;

constexpr int kPanel = 8, kSlice = 32;
template <class W>
constexpr int kSlicePacks = kSlice / kPack<W>;

template <class W>
struct Product {
  const float* x;
  const W* panels;
  const float* bias;
  float* y;
  std::int64_t rows, in, depth, out;
  Activation activation;

  /// An element of x; 0 outside.
  __device__ float x_at(std::int64_t row, std::int64_t k) const {
    return row < rows && k < in ? x[row * in + k] : 0.0f;
  }
  /// A pack of a slice of the depth, in a column of a panel.
  __device__ Pack<W> w_at(std::int64_t panel, std::int64_t slice, int pack, int column) const {
    const std::int64_t line = (panel * (depth / kSlice) + slice) * kSlicePacks<W> + pack;
    return Pack<W>::load(panels, line * kPanel + column);
  }
};

/// Not inlined, so that both kernels also round alike here.
__device__ __noinline__ float activate(Activation activation, float x) {
  visit_activation(activation, [&x](auto function) { x = function.forward(x); });
  return x;
}

template <class W>
__device__ void finish(const Product<W>& product, std::int64_t row, std::int64_t column,
                       float total) {
  if (row >= product.rows || column >= product.out) return;
  const float sum = total + product.bias[column];
  product.y[row * product.out + column] =
      product.activation == Activation::none ? sum : activate(product.activation, sum);
}

constexpr int kWarpSlices = kWarp / kPanel;
/// The most slices of the depth in a block at once, kPanel threads each.
template <int kRows>
constexpr int kSlicesAtOnce = kRows == 1 ? 128 : 64;
/// Floats of shared memory for a slice: first its part of x, then its sums. Slices are 4 banks
/// apart, so that a warp reads its slices without conflicts.
template <int kRows>
constexpr int kSliceRoom = kSlice* kRows + 4;

/// For little work: a block takes a panel for kRows rows, a thread one column of it and a slice of
/// the depth. Narrow panels make many blocks, and slices run in parallel, so that all of a small W
/// is loaded at once.
template <class W, int kRows>
__global__ void __launch_bounds__(kSlicesAtOnce<kRows>* kPanel)
    multiply_slices(Product<W> product) {
  float* shared = cuda::shared_memory<float>();
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kWarp;
  const int column = thread % kPanel, place = thread / kPanel;
  const int at_once = static_cast<int>(blockDim.x) / kPanel;
  const int warp_place = place - place % kWarpSlices;  // of the first slice of this warp
  float* mine = shared + place * kSliceRoom<kRows>;
  // Blocks of the same panel are consecutive, so that it is read from memory once.
  const auto row_blocks = static_cast<unsigned>(ceil_div(product.rows, kRows));
  const std::int64_t panel = blockIdx.x / row_blocks, first_row = blockIdx.x % row_blocks * kRows;
  const std::int64_t slices = product.depth / kSlice;
  Pack<W> w[kSlicePacks<W>];
  const auto read_weights = [&](std::int64_t first) {
    if (first + place >= slices) return;
    KETTE_UNROLL for (int pack = 0; pack < kSlicePacks<W>; ++pack) {
      w[pack] = product.w_at(panel, first + place, pack, column);
    }
  };
  read_weights(0);
  cuda::await_earlier_kernels();
  float total = 0;
  for (std::int64_t first = 0; first < slices; first += at_once) {
    if (first > 0) read_weights(first);
    float x[kRows][kWarpSlices];
    KETTE_UNROLL for (int r = 0; r < kRows; ++r) {
      KETTE_UNROLL for (int s = 0; s < kWarpSlices; ++s) {
        x[r][s] = product.x_at(first_row + r, (first + warp_place + s) * kSlice + lane);
      }
    }
    KETTE_UNROLL for (int r = 0; r < kRows; ++r) {
      KETTE_UNROLL for (int s = 0; s < kWarpSlices; ++s) {
        shared[(warp_place + s) * kSliceRoom<kRows> + r * kSlice + lane] = x[r][s];
      }
    }
    __syncwarp();
    float sums[kRows] = {};
    KETTE_UNROLL for (int k = 0; k < kSlice; k += 4) {
      const W* values = &w[k / kPack<W>].values[k % kPack<W>];
      KETTE_UNROLL for (int r = 0; r < kRows; ++r) {
        const float4 part = four(mine + r * kSlice + k);
        sums[r] = fmaf(part.x, float(values[0]), sums[r]);
        sums[r] = fmaf(part.y, float(values[1]), sums[r]);
        sums[r] = fmaf(part.z, float(values[2]), sums[r]);
        sums[r] = fmaf(part.w, float(values[3]), sums[r]);
      }
    }
    __syncwarp();
    KETTE_UNROLL for (int r = 0; r < kRows; ++r) mine[r * kPanel + column] = sums[r];
    __syncthreads();
    if (place < kRows) {
      const auto count = static_cast<int>(std::min<std::int64_t>(slices - first, at_once));
      for (int at = 0; at < count; ++at) total += shared[at * kSliceRoom<kRows> + thread];
    }
    __syncthreads();
  }
  if (place < kRows) finish(product, first_row + place, panel * kPanel + column, total);
}

constexpr int kThreadRows = 8, kThreadColumns = 16, kTileThreads = kThreadRows * kThreadColumns;
constexpr int kTileColumns = kThreadColumns * 4, kTilePanels = kTileColumns / kPanel;

/// For many rows: a block takes a tile of y, kThreadRows * kEach by kTileColumns, and a slice of
/// the depth at a time; each thread has kEach rows, kThreadRows apart, of 4 columns. The next slice
/// is loaded while one is multiplied.
template <class W, int kEach>
__global__ void __launch_bounds__(kTileThreads) multiply_tile(Product<W> product) {
  constexpr int kRows = kThreadRows * kEach;
  constexpr int kXLoads = kRows * kSlice / kTileThreads;
  constexpr int kWLoads = kSlicePacks<W> * kTileColumns / kTileThreads;
  // Rows of x are 4 banks apart, so that neighbours are read without conflicts.
  alignas(16) __shared__ float x_tile[kRows][kSlice + 4];
  alignas(16) __shared__ float w_tile[kSlice][kTileColumns];
  const int thread = static_cast<int>(threadIdx.x);
  const int down = thread / kThreadColumns, across = thread % kThreadColumns * 4;
  const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.y) * kRows;
  const std::int64_t first_panel = static_cast<std::int64_t>(blockIdx.x) * kTilePanels;

  float next_x[kXLoads];
  Pack<W> next_w[kWLoads];
  const auto load = [&](std::int64_t begin) {
    for (int i = 0; i < kXLoads; ++i) {
      const int at = thread + i * kTileThreads;
      next_x[i] = product.x_at(first_row + at / kSlice, begin + at % kSlice);
    }
    for (int i = 0; i < kWLoads; ++i) {
      const int at = thread + i * kTileThreads, column = at % kTileColumns;
      next_w[i] = product.w_at(first_panel + column / kPanel, begin / kSlice, at / kTileColumns,
                               column % kPanel);
    }
  };
  const auto store = [&] {
    for (int i = 0; i < kXLoads; ++i) {
      const int at = thread + i * kTileThreads;
      x_tile[at / kSlice][at % kSlice] = next_x[i];
    }
    for (int i = 0; i < kWLoads; ++i) {
      const int at = thread + i * kTileThreads, k = at / kTileColumns * kPack<W>;
      for (int e = 0; e < kPack<W>; ++e) w_tile[k + e][at % kTileColumns] = next_w[i].values[e];
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

/// Rows of W become columns of the panels; a thread for each element of whole panels and packs, in
/// memory order.
template <class W>
__global__ void pack_rows(const float* matrix, std::int64_t rows, std::int64_t in,
                          std::int64_t depth, W* panels) {
  constexpr int kLine = kPanel * kPack<W>;
  const std::int64_t i = cuda::index(), lines = ceil_div(in, kPack<W>);
  const std::int64_t row = i / kLine / lines * kPanel + i % kLine / kPack<W>;
  const std::int64_t k = i / kLine % lines * kPack<W> + i % kPack<W>;
  if (row >= rows || k >= in) return;
  W* line = panels + row / kPanel * depth * kPanel + k / kPack<W> * kLine;
  line[row % kPanel * kPack<W> + k % kPack<W>] = matrix[row * in + k];
}

template <int kRows, class W>
void launch_slices(CudaExec exec, const Product<W>& product) {
  // At least kRows, since that many threads per column finish the rows.
  const std::int64_t at_once = cuda::round_up(
      std::clamp<std::int64_t>(product.depth / kSlice, kRows, kSlicesAtOnce<kRows>), kWarpSlices);
  const std::int64_t blocks = ceil_div(product.out, kPanel) * ceil_div(product.rows, kRows);
  cuda::launch(exec, multiply_slices<W, kRows>,
               {dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(at_once * kPanel)),
                static_cast<std::size_t>(at_once) * kSliceRoom<kRows> * sizeof(float), true},
               product);
}

template <int kEach, class W>
dim3 tiles_of(const Product<W>& product) {
  return dim3(static_cast<unsigned>(ceil_div(product.out, kTileColumns)),
              static_cast<unsigned>(ceil_div(product.rows, kThreadRows * kEach)));
}

template <int kEach, class W>
void launch_tiles(CudaExec exec, const Product<W>& product) {
  cuda::launch(exec, multiply_tile<W, kEach>, {tiles_of<kEach>(product), dim3(kTileThreads)},
               product);
}

template <class W>
void multiply(CudaExec exec, const Product<W>& product) {
  if (product.rows == 1) return launch_slices<1>(exec, product);
  if (product.rows <= 4) return launch_slices<4>(exec, product);
  // Tiles are more efficient, if there are some for every multiprocessor.
  const auto tiles = [](dim3 blocks) { return std::int64_t{blocks.x} * blocks.y; };
  const int multiprocessors = cuda::multiprocessors(exec);
  if (product.rows <= 16 || tiles(tiles_of<4>(product)) < multiprocessors) {
    return launch_slices<8>(exec, product);
  }
  if (tiles(tiles_of<8>(product)) < 2 * multiprocessors) return launch_tiles<4>(exec, product);
  launch_tiles<8>(exec, product);
}

}  // namespace

PrepackedWeight prepack_linear(CudaExec exec, const Tensor& matrix, const Tensor& bias,
                               DType panels) {
  const Device device{DeviceKind::cuda, exec.device};
  PrepackedWeight prepacked = PrepackedWeight::sizes_of(matrix, bias, panels);
  const std::int64_t rows = prepacked.out, in = prepacked.in;
  const std::int64_t columns = cuda::round_up(rows, kTileColumns);
  const std::int64_t depth = cuda::round_up(in, kSlice);
  prepacked.panels = Tensor::zeros({columns / kPanel, depth, kPanel}, panels, device);
  prepacked.bias = Tensor::zeros({columns}, DType::f32, device);
  const Tensor values = matrix.to(DType::f32);
  prepacked.visit_panels([&]<class W>(W* to) {
    const std::int64_t threads = cuda::round_up(rows, kPanel) * cuda::round_up(in, kPack<W>);
    cuda::launch(exec, pack_rows<W>, cuda::one_thread_each(threads), values.data<float>(), rows, in,
                 depth, to);
  });
  if (bias.defined()) prepacked.bias.view(0, {rows}).copy_from(bias.to(DType::f32));
  // Products read their weights before they wait for earlier kernels.
  backend(device).synchronize();
  return prepacked;
}

void prepacked_linear(CudaExec exec, const PrepackedLinearArgs& args) {
  const PrepackedWeight& weight = *args.weight;
  args.check();
  weight.visit_panels([&]<class W>(const W* panels) {
    multiply(exec, Product<W>{args.x.data<float>(), panels, weight.bias.data<float>(),
                              args.y.data<float>(), args.x.rows(), weight.in,
                              weight.panels.shape()[1], weight.out, args.activation});
  });
}

}  // namespace kette::kernels

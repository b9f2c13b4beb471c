// Linear attention on CUDA (tensor/linear_attention.h). A block computes some columns of a result
// of one head and sequence, its rows a chunk at a time; the columns of the state stay in shared
// memory. Each of 16 x 16 threads holds rows and columns, 16 apart, of a matrix of results.
#include "tensor/cuda/launch.h"
#include "tensor/linear_attention.h"
#include "tensor/matrix_view.h"
#include "tensor/scalar.h"

namespace kette::kernels {
namespace {

using cuda::kWarp;
using linear_weights::Factor;
using linear_weights::Result;
using linear_weights::Sight;
using linear_weights::Sum;

constexpr int kSumLanes = 16, kSumThreads = kSumLanes * kSumLanes;

/// Arguments of a kernel. Written: T, or the type of sums.
template <class T, class Written>
struct LinearCall {
  linear_weights::Head<T> first;
  const std::int32_t* offsets;
  Written* result;
  std::int64_t result_stride;
  int blocks_of_head;  ///< each for some columns
  Mask mask;
};

/// A block's shared memory: panels of kChunk rows of x, y and z, the products of x and y, the
/// state, and the sum of the keys.
template <class C, int kRepeat, int kSlices>
struct ChunkPanels {
  static constexpr int kChunk = kRepeat * kSumLanes, kColumns = kSlices * kSumLanes;
  static constexpr int kScores = kChunk + 1, kOdd = kColumns + 1;
  int stride;  // of x and y, odd
  C *x, *y, *z, *scores, *state, *key_sum;

  __device__ explicit ChunkPanels(int width)
      : stride(odd(width)),
        x(cuda::shared_memory<C>()),
        y(x + kChunk * stride),
        z(y + kChunk * stride),
        scores(z + kChunk * kOdd),
        state(scores + kChunk * kScores),
        key_sum(state + (width + 1) * kOdd) {}

  static std::size_t bytes(int width) {
    return sizeof(C) * static_cast<std::size_t>(2 * kChunk * odd(width) + kChunk * kOdd +
                                                kChunk * kScores + (width + 1) * kOdd + width);
  }
  /// Puts neighbours in a column into different banks, with room for one more element than a head
  /// has.
  KETTE_HOST_DEVICE static int odd(int width) { return (width + 1) | 1; }
};

/// A warp loads a row of a factor: `count` of `width` columns from `first` on, and, if `extra`, the
/// last element of u and e.
template <class T, class C>
__device__ void load_row(const linear_weights::Head<T>& head, Factor factor, std::int64_t row,
                         int first, int count, bool extra, C* to) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp, width = static_cast<int>(head.width);
  const T* from = head.row(factor, row);
  const C share = factor == Factor::gradient ? C(1) / head.denominator[row] : C(1);
  for (int e = lane; e < count; e += kWarp) {
    const C value = C(from[first + e]);
    to[e] = factor == Factor::query || factor == Factor::key ? linear_weights::phi(value)
                                                             : share * value;
  }
  if (!extra) return;
  C last = 1;
  if (factor == Factor::gradient) {
    C dot = 0;
    for (int e = lane; e < width; e += kWarp) {
      dot += C(from[e]) * C(head.output[row * head.output_stride + e]);
    }
    last = -share * cuda::warp_sum(dot);
  }
  if (lane == 0) to[width] = last;
}

/// sums[i][j] += the sum over d of left(row i, d) right(d, column j).
template <class C, int kRows, int kCount>
__device__ void add_product(const C* left, int row_stride, int column_stride, const C* right,
                            int right_stride, int depth, C (&sums)[kRows][kCount]) {
  for (int d = 0; d < depth; ++d) {
    C a[kRows], b[kCount];
    KETTE_UNROLL for (int i = 0; i < kRows; ++i) {
      a[i] = left[i * kSumLanes * row_stride + d * column_stride];
    }
    KETTE_UNROLL for (int j = 0; j < kCount; ++j) b[j] = right[d * right_stride + j * kSumLanes];
    KETTE_UNROLL for (int i = 0; i < kRows; ++i) {
      KETTE_UNROLL for (int j = 0; j < kCount; ++j) sums[i][j] += a[i] * b[j];
    }
  }
}

template <class T, class Written, Result kResult, int kRepeat, int kSlices>
__global__ void __launch_bounds__(kSumThreads) sum_by_chunks(LinearCall<T, Written> call) {
  using C = Compute<T>;
  using Memory = ChunkPanels<C, kRepeat, kSlices>;
  constexpr int kChunk = Memory::kChunk, kOdd = Memory::kOdd, kScores = Memory::kScores;
  constexpr Sum kSum(kResult);
  const int sequence = static_cast<int>(blockIdx.x), width = static_cast<int>(call.first.width);
  const int head_number = static_cast<int>(blockIdx.y) / call.blocks_of_head;
  const int first_column = static_cast<int>(blockIdx.y) % call.blocks_of_head * Memory::kColumns;
  const int columns = scalar::min(Memory::kColumns, width - first_column);
  const std::int64_t origin = call.offsets[sequence];
  const int rows = static_cast<int>(call.offsets[sequence + 1] - origin);
  const linear_weights::Head<T> head = call.first.at(head_number, origin);
  const Sight sight = call.mask == Mask::none ? Sight::all : kSum.sight;
  const int depth = width + kSum.extra_width(), chunks = (rows + kChunk - 1) / kChunk;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kSumLanes,
            row0 = thread / kSumLanes;
  const Memory memory(width);

  const auto begin_of = [&](int chunk) {
    return (sight == Sight::after ? chunks - 1 - chunk : chunk) * kChunk;
  };
  // Missing rows are 0.
  const auto load = [&](Factor factor, int begin, int first, int count, bool extra, C* to,
                        int stride) {
    for (int i = thread / kWarp; i < kChunk; i += kSumThreads / kWarp) {
      if (begin + i < rows) {
        load_row(head, factor, begin + i, first, count, extra, to + i * stride);
      } else {
        for (int e = thread % kWarp; e < count + extra; e += kWarp) to[i * stride + e] = 0;
      }
    }
  };
  const auto load_y_and_z = [&](int begin) {
    load(kSum.y, begin, 0, width, kSum.extra_width() > 0, memory.y, memory.stride);
    load(kSum.z, begin, first_column, columns, false, memory.z, kOdd);
  };
  const auto add_to_state = [&] {
    for (int e = row0; e < depth; e += kSumLanes) {
      C sums[1][kSlices] = {};
      add_product(memory.y + e, 0, memory.stride, memory.z + lane, kOdd, kChunk, sums);
      KETTE_UNROLL for (int j = 0; j < kSlices; ++j) {
        memory.state[e * kOdd + lane + j * kSumLanes] += sums[0][j];
      }
    }
    for (int e = thread; kResult == Result::output && e < width; e += kSumThreads) {
      C sum = 0;
      for (int i = 0; i < kChunk; ++i) sum += memory.y[i * memory.stride + e];
      memory.key_sum[e] += sum;
    }
  };

  for (int i = thread; i < depth * kOdd; i += kSumThreads) memory.state[i] = 0;
  for (int e = thread; e < width; e += kSumThreads) memory.key_sum[e] = 0;
  // Columns of z beyond the head are not loaded but are multiplied.
  for (int i = thread; i < kChunk * kOdd; i += kSumThreads) memory.z[i] = 0;
  __syncthreads();
  for (int chunk = 0; sight == Sight::all && chunk < chunks; ++chunk) {
    load_y_and_z(begin_of(chunk));
    __syncthreads();
    add_to_state();
    __syncthreads();
  }
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const int begin = begin_of(chunk);
    load(kSum.x, begin, 0, width, kSum.extra_width() > 0, memory.x, memory.stride);
    if (sight != Sight::all) load_y_and_z(begin);
    __syncthreads();
    C results[kRepeat][kSlices] = {}, weights[kRepeat] = {};
    if (sight != Sight::all) {
      C square[kRepeat][kRepeat] = {};
      for (int d = 0; d < depth; ++d) {
        C a[kRepeat], b[kRepeat];
        KETTE_UNROLL for (int i = 0; i < kRepeat; ++i) {
          a[i] = memory.x[(row0 + i * kSumLanes) * memory.stride + d];
          b[i] = memory.y[(lane + i * kSumLanes) * memory.stride + d];
        }
        KETTE_UNROLL for (int i = 0; i < kRepeat; ++i) {
          KETTE_UNROLL for (int j = 0; j < kRepeat; ++j) square[i][j] += a[i] * b[j];
        }
      }
      KETTE_UNROLL for (int i = 0; i < kRepeat; ++i) {
        KETTE_UNROLL for (int j = 0; j < kRepeat; ++j) {
          const int row = row0 + i * kSumLanes, column = lane + j * kSumLanes;
          const bool sees = sight == Sight::before ? column <= row : column >= row;
          const C score = sees ? square[i][j] : C(0);
          memory.scores[row * kScores + column] = score;
          weights[i] += score;
        }
      }
      __syncthreads();
      add_product(memory.scores + row0 * kScores, kScores, 1, memory.z + lane, kOdd, kChunk,
                  results);
    }
    add_product(memory.x + row0 * memory.stride, memory.stride, 1, memory.state + lane, kOdd, depth,
                results);
    KETTE_UNROLL for (int i = 0; i < kRepeat; ++i) {
      const int row = row0 + i * kSumLanes;
      C factor = 1;
      if (kResult == Result::output) {
        for (int e = lane; e < width; e += kSumLanes) {
          weights[i] += memory.x[row * memory.stride + e] * memory.key_sum[e];
        }
        for (int distance = kSumLanes / 2; distance > 0; distance /= 2) {
          weights[i] += __shfl_xor_sync(0xffffffffu, weights[i], distance);
        }
        const C denominator = weights[i] + C(linear_weights::kEpsilon);
        factor = C(1) / denominator;
        if (lane == 0 && first_column == 0 && begin + row < rows) {
          head.denominator[begin + row] = denominator;
        }
      }
      if (begin + row >= rows) continue;
      Written* to = call.result + (origin + begin + row) * call.result_stride +
                    head_number * width + first_column;
      const T* in =
          head.row(kResult == Result::key_gradient ? Factor::key : Factor::query, begin + row) +
          first_column;
      KETTE_UNROLL for (int j = 0; j < kSlices; ++j) {
        const int column = lane + j * kSumLanes;
        if (column >= columns) continue;
        if (kResult == Result::query_gradient || kResult == Result::key_gradient) {
          factor = linear_weights::phi_slope(C(in[column]));
        }
        to[column] = Written(factor * results[i][j]);
      }
    }
    __syncthreads();
    if (sight != Sight::all && chunk + 1 < chunks) {
      add_to_state();
      __syncthreads();
    }
  }
}

/// Sums the parts of each `group` heads, [rows, heads * width], to a gradient.
template <class T, class C>
__global__ void add_up_groups(const C* parts, std::int64_t count, std::int64_t width,
                              std::int64_t key_heads, std::int64_t group, T* result,
                              std::int64_t stride) {
  const std::int64_t index = cuda::index();
  if (index >= count) return;
  const std::int64_t e = index % width, head = index / width % key_heads,
                     row = index / width / key_heads;
  C sum = 0;
  for (std::int64_t i = 0; i < group; ++i) {
    sum += parts[((row * key_heads + head) * group + i) * width + e];
  }
  result[row * stride + head * width + e] = T(sum);
}

template <class T, class Written, Result kResult>
void compute_sum(CudaExec exec, const LinearAttentionArgs& args, const void* output_gradient,
                 void* result, std::int64_t stride) {
  using C = Compute<T>;
  const int width = static_cast<int>(args.head_width);
  const auto with = [&]<int kRepeat, int kSlices>() {
    using Memory = ChunkPanels<C, kRepeat, kSlices>;
    const int blocks = static_cast<int>(cuda::ceil_div(width, Memory::kColumns));
    const LinearCall<T, Written> call{
        linear_weights::Head<T>(args, output_gradient),
        args.segments.offsets_on({DeviceKind::cuda, exec.device}).template data<std::int32_t>(),
        static_cast<Written*>(result),
        stride,
        blocks,
        args.pattern.mask};
    cuda::launch(exec, sum_by_chunks<T, Written, kResult, kRepeat, kSlices>,
                 {dim3(static_cast<unsigned>(args.segments.count()),
                       static_cast<unsigned>(args.heads * blocks)),
                  dim3(kSumThreads), Memory::bytes(width)},
                 call);
  };
  // Within 99 KiB of shared memory, except for wide heads in f64, which are rare.
  if (std::is_same_v<C, double> || width > 128) return with.template operator()<1, 2>();
  if (width <= 32) return with.template operator()<2, 2>();
  with.template operator()<2, 4>();
}

/// A gradient of keys or values.
template <class T, Result kResult>
void compute_key_gradient(CudaExec exec, const LinearAttentionArgs& args,
                          const void* output_gradient, void* result) {
  using C = Compute<T>;
  const std::int64_t group = args.pattern.group, width = args.head_width,
                     rows = args.segments.rows();
  if (group == 1) {
    return compute_sum<T, T, kResult>(exec, args, output_gradient, result, args.stride);
  }
  const Tensor parts =
      Tensor::empty({rows, args.heads * width}, dtype_of<C>, {DeviceKind::cuda, exec.device});
  compute_sum<T, C, kResult>(exec, args, output_gradient, parts.raw(), args.heads * width);
  const std::int64_t count = rows * args.key_heads() * width;
  cuda::launch(exec, add_up_groups<T, C>, cuda::one_thread_each(count), parts.data<C>(), count,
               width, args.key_heads(), group, static_cast<T*>(result), args.stride);
}

}  // namespace

void linear_attention(CudaExec exec, const LinearAttentionArgs& args) {
  args.check();
  visit_float(args.dtype, "linear attention", [&]<class T>(T) {
    compute_sum<T, T, Result::output>(exec, args, nullptr, args.output, args.output_stride);
  });
}

void linear_attention_backward(CudaExec exec, const LinearAttentionArgs& args,
                               const LinearAttentionGradients& gradients) {
  gradients.check(args);
  visit_float(args.dtype, "linear attention", [&]<class T>(T) {
    const void* given = gradients.output_gradient;
    compute_sum<T, T, Result::query_gradient>(exec, args, given, gradients.query, args.stride);
    compute_key_gradient<T, Result::key_gradient>(exec, args, given, gradients.key);
    compute_key_gradient<T, Result::value_gradient>(exec, args, given, gradients.value);
  });
}

}  // namespace kette::kernels

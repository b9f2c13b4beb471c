// Attention of single queries: softmax(scale * q K^T) V, one query per row. A warp takes a head of
// a row and 32 keys at a time: first each lane scores one key, then the lanes share the columns of
// the values. The softmax is online (Milakov and Gimelshein 2018): with the highest score m so far,
// sums hold exp(score - m) and are scaled by exp(m - m') when m rises to m'. The keys are dealt to
// kShares shares, 32 at a time, whose results are combined at the end. If heads are too few to fill
// a GPU, each share has its own warp. The order of additions depends neither on that nor on the
// other rows.
#include <algorithm>

#include "tensor/cuda/launch.h"
#include "tensor/cuda/pack.h"

namespace kette::kernels {
namespace {

using cuda::ceil_div, cuda::four, cuda::kWarp;

constexpr int kShares = 8;
constexpr float kLowest = -std::numeric_limits<float>::infinity();

/// CachedAttentionArgs for the device. Heads wider than the columns of a warp are processed in
/// blocks of columns, each of which computes the scores again. Kept: the cache's type, f32 or bf16.
template <class Kept>
struct Call {
  const float* query;
  const Kept* cache;
  float* output;
  const std::int32_t *table, *lines, *positions;
  std::int64_t query_stride, table_width, rows, heads, head_width, blocks;
  float scale;
  AttentionPattern pattern;

  KETTE_HOST_DEVICE std::int64_t width() const { return heads * head_width; }
  KETTE_HOST_DEVICE std::int64_t key_width() const { return width() / pattern.group; }
  /// Floats of the query's copy in shared memory: padded with zeros to whole float4s.
  KETTE_HOST_DEVICE std::int64_t padded_width() const { return (head_width + 3) / 4 * 4; }
};

__device__ float4 four(const BFloat16* from) {
  struct alignas(8) Four {
    BFloat16 x, y, z, w;
  };
  const Four read = *reinterpret_cast<const Four*>(from);
  return {float(read.x), float(read.y), float(read.z), float(read.w)};
}

/// Four sums side by side, so that the bits do not depend on whether a key can be read by fours.
template <bool kAligned, class Kept>
__device__ float dot(const float* query, const Kept* key, std::int64_t width) {
  float4 sums = {0, 0, 0, 0};
  for (std::int64_t e = 0; e < width; e += 4) {
    const float4 q = *reinterpret_cast<const float4*>(query + e);
    float4 k = {0, 0, 0, 0};
    if constexpr (kAligned) {
      k = four(key + e);
    } else {
      k.x = float(key[e]);
      if (e + 1 < width) k.y = float(key[e + 1]);
      if (e + 2 < width) k.z = float(key[e + 2]);
      if (e + 3 < width) k.w = float(key[e + 3]);
    }
    sums.x = fmaf(q.x, k.x, sums.x);
    sums.y = fmaf(q.y, k.y, sums.y);
    sums.z = fmaf(q.z, k.z, sums.z);
    sums.w = fmaf(q.w, k.w, sums.w);
  }
  return (sums.x + sums.y) + (sums.z + sums.w);
}

template <class Kept>
__device__ const Kept* from_lane(const Kept* pointer, int lane) {
  const auto bits = reinterpret_cast<std::uintptr_t>(pointer);
  return reinterpret_cast<const Kept*>(__shfl_sync(0xffffffffu, bits, lane));
}

/// A warp's sums over some keys; each lane has its own part of `total`.
template <int kEach>
struct Share {
  float peak = kLowest, total = 0, sums[kEach] = {};

  __device__ void raise(float higher) {
    const float fade = peak == higher ? 1 : scalar::exp(peak - higher);
    peak = higher;
    total *= fade;
    for (float& sum : sums) sum *= fade;
  }
  __device__ void add(const Share& other) {
    if (other.peak == kLowest) return;
    Share faded = other;
    const float higher = scalar::max(peak, other.peak);
    faded.raise(higher);
    raise(higher);
    total += faded.total;
    for (int j = 0; j < kEach; ++j) sums[j] += faded.sums[j];
  }
};

/// A lane's work on a head of a row.
template <class Kept, int kEach, bool kAligned>
struct Head {
  const Call<Kept>& call;
  const float* query;         // scaled, in shared memory
  const std::int32_t* slots;  // of the keys that the row sees
  std::int64_t length, column, key_column, first_column;
  float slope;
  int lane;

  /// Processes keys 32 n to 32 n + 31 for n = first, first + kShares, ...
  __device__ Share<kEach> take(std::int64_t first) const {
    Share<kEach> share;
    for (std::int64_t begin = first * kWarp; begin < length; begin += kShares * kWarp) {
      const Kept* key = nullptr;
      float score = kLowest;
      if (begin + lane < length) {
        key = call.cache + slots[begin + lane] * 2 * call.key_width() + key_column;
        score = dot<kAligned>(query, key, call.head_width);
        if (slope != 0) score -= slope * float(length - 1 - (begin + lane));
      }
      share.raise(scalar::max(share.peak, cuda::warp_max(score)));
      const float weight = scalar::exp(score - share.peak);
      share.total += weight;
      const int count = static_cast<int>(length - begin < kWarp ? length - begin : kWarp);
      for (int t = 0; t < count; ++t) {
        const float part = __shfl_sync(0xffffffffu, weight, t);
        const Kept* value = from_lane(key, t) + call.key_width();
        for (int j = 0; j < kEach; ++j) {
          const std::int64_t e = first_column + j * kWarp;
          if (e < call.head_width) share.sums[j] = fmaf(part, float(value[e]), share.sums[j]);
        }
      }
    }
    return share;
  }
  __device__ void store(const Share<kEach>& all, std::int64_t row) const {
    const float factor = 1 / cuda::warp_sum(all.total);
    float* output = call.output + row * call.width() + column;
    for (int j = 0; j < kEach; ++j) {
      const std::int64_t e = first_column + j * kWarp;
      if (e < call.head_width) output[e] = all.sums[j] * factor;
    }
  }
};

/// kEach: columns of the result per lane. kWarps: warps per head, 1 or one for each share.
template <class Kept, int kEach, bool kAligned, int kWarps>
__global__ void attend(Call<Kept> call) {
  static_assert(kWarps == 1 || kWarps == kShares);
  cuda::await_earlier_kernels();
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp, team = warp / kWarps;
  const std::int64_t task = cuda::index() / (kWarp * kWarps);
  const std::int64_t row = task / call.blocks / call.heads;
  if (row >= call.rows) return;  // all of a team
  const std::int64_t head = task / call.blocks % call.heads;
  const std::int64_t padded = call.padded_width();
  float* query = cuda::shared_memory<float>() + team * padded;
  const float* source = call.query + row * call.query_stride + head * call.head_width;
  for (std::int64_t e = static_cast<int>(threadIdx.x) % (kWarp * kWarps); e < padded;
       e += kWarp * kWarps) {
    query[e] = e < call.head_width ? call.scale * source[e] : 0.0f;
  }
  const std::int64_t position = call.positions[row], low = call.pattern.first_visible(position);
  const Head<Kept, kEach, kAligned> mine{call,
                                         query,
                                         call.table + call.lines[row] * call.table_width + low,
                                         position + 1 - low,
                                         head * call.head_width,
                                         head / call.pattern.group * call.head_width,
                                         task % call.blocks * kEach * kWarp + lane,
                                         static_cast<float>(call.pattern.slope(head, call.heads)),
                                         lane};
  Share<kEach> all;
  if constexpr (kWarps == 1) {
    __syncwarp();
    for (int i = 0; i < kShares && i * kWarp < mine.length; ++i) all.add(mine.take(i));
    mine.store(all, row);
  } else {
    __shared__ Share<kEach> shares[kShares][kWarp];
    __syncthreads();
    shares[warp][lane] = mine.take(warp);
    __syncthreads();
    if (warp > 0) return;
    for (int i = 0; i < kShares; ++i) all.add(shares[i][lane]);
    mine.store(all, row);
  }
}

template <int kEach, int kWarps, class Kept>
void launch_attend(CudaExec exec, const Call<Kept>& call, bool aligned) {
  cuda::Grid grid = cuda::one_thread_each(call.rows * call.heads * call.blocks * kWarp * kWarps);
  grid.shared_bytes =
      static_cast<std::size_t>(grid.threads.x / (kWarp * kWarps) * call.padded_width()) *
      sizeof(float);
  grid.starts_early = true;
  cuda::launch(exec,
               aligned ? attend<Kept, kEach, true, kWarps> : attend<Kept, kEach, false, kWarps>,
               grid, call);
}

template <int kEach, class Kept>
void launch_attend(CudaExec exec, Call<Kept> call, bool aligned) {
  call.blocks = ceil_div(call.head_width, kEach * kWarp);
  const bool is_few = call.rows * call.heads * call.blocks < 4 * cuda::multiprocessors(exec);
  if (is_few && call.table_width > kWarp) return launch_attend<kEach, kShares>(exec, call, aligned);
  launch_attend<kEach, 1>(exec, call, aligned);
}

template <class Kept>
void attend_all(CudaExec exec, const CachedAttentionArgs& args) {
  const CachePlaces& places = args.places;
  const Call<Kept> call{args.rows.query,
                        args.cache.data<Kept>(),
                        args.rows.output.data<float>(),
                        places.table.data<std::int32_t>(),
                        places.lines.data<std::int32_t>(),
                        places.positions.data<std::int32_t>(),
                        args.rows.query_stride,
                        places.table.width(),
                        args.rows.rows(),
                        args.rows.heads,
                        args.rows.width() / args.rows.heads,
                        1,
                        static_cast<float>(args.rows.scale),
                        args.rows.pattern};
  const bool aligned = call.head_width % 4 == 0;
  if (call.head_width <= kWarp) return launch_attend<1>(exec, call, aligned);
  if (call.head_width <= 2 * kWarp) return launch_attend<2>(exec, call, aligned);
  launch_attend<4>(exec, call, aligned);
}

}  // namespace

void cached_attention(CudaExec exec, const CachedAttentionArgs& args) {
  args.check();
  args.cache.dtype() == DType::bf16 ? attend_all<BFloat16>(exec, args)
                                    : attend_all<float>(exec, args);
}

}  // namespace kette::kernels

// Attention of single queries: softmax(scale * q K^T) V, one query a row. A warp takes a head of a
// row and 32 keys at a time: first each lane scores a key of its own, then the lanes share the
// columns of the values. The softmax is taken along the way (Milakov and Gimelshein 2018): with the
// highest score m of the keys so far, sums hold exp(score - m) and fade by exp(m - m') when m rises
// to m'. Nothing in the order of additions depends on the other rows.
#include <algorithm>

#include "tensor/cuda/launch.h"

namespace kette::kernels {
namespace {

using cuda::ceil_div, cuda::kWarp;

/// QueryRows for the device. Heads wider than a warp has columns for are taken in blocks of
/// columns, each of them with the scores anew.
struct Queries {
  const float* query;
  float* output;
  std::int64_t query_stride, rows, heads, head_width, blocks;
  float scale;

  KETTE_HOST_DEVICE std::int64_t width() const { return heads * head_width; }
  /// Floats of the query's copy in shared memory: whole float4s, filled up with zeros.
  KETTE_HOST_DEVICE std::int64_t padded_width() const { return (head_width + 3) / 4 * 4; }
};

struct MemoryRow {
  const float* keys;
  std::int64_t length;
};

struct MemoryKeys {
  const MemoryRow* rows;
  std::int64_t stride;

  __device__ std::int64_t length(std::int64_t row) const { return rows[row].length; }
  __device__ const float* operator()(std::int64_t row, std::int64_t t) const {
    return rows[row].keys + t * stride;
  }
};

struct CachedRow {
  std::int64_t first_page, length;
};

struct CachedKeys {
  const CachedRow* rows;
  const float* const* pages;
  const std::int32_t* slots;
  std::int64_t stride, slot_stride;

  __device__ std::int64_t length(std::int64_t row) const { return rows[row].length; }
  __device__ const float* operator()(std::int64_t row, std::int64_t t) const {
    return pages[rows[row].first_page + t] + slots[row * slot_stride + t] * stride;
  }
};

/// Four sums side by side, so the same bits whether or not a key can be read by fours.
template <bool kAligned>
__device__ float dot(const float* query, const float* key, std::int64_t width) {
  float4 sums = {0, 0, 0, 0};
  for (std::int64_t e = 0; e < width; e += 4) {
    const float4 q = *reinterpret_cast<const float4*>(query + e);
    float4 k = {0, 0, 0, 0};
    if constexpr (kAligned) {
      k = *reinterpret_cast<const float4*>(key + e);
    } else {
      k.x = key[e];
      if (e + 1 < width) k.y = key[e + 1];
      if (e + 2 < width) k.z = key[e + 2];
      if (e + 3 < width) k.w = key[e + 3];
    }
    sums.x = fmaf(q.x, k.x, sums.x);
    sums.y = fmaf(q.y, k.y, sums.y);
    sums.z = fmaf(q.z, k.z, sums.z);
    sums.w = fmaf(q.w, k.w, sums.w);
  }
  return (sums.x + sums.y) + (sums.z + sums.w);
}

__device__ const float* from_lane(const float* pointer, int lane) {
  const auto bits = reinterpret_cast<std::uintptr_t>(pointer);
  return reinterpret_cast<const float*>(__shfl_sync(0xffffffffu, bits, lane));
}

/// kEach: columns a lane has of the result.
template <int kEach, bool kAligned, class Keys>
__global__ void attend(Queries queries, Keys keys) {
  const std::int64_t task = cuda::index() / kWarp;
  const std::int64_t row = task / queries.blocks / queries.heads;
  if (row >= queries.rows) return;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t width = queries.head_width, padded = queries.padded_width();
  const std::int64_t head = task / queries.blocks % queries.heads * width;
  const std::int64_t first_column = task % queries.blocks * kEach * kWarp + lane;

  float* query = cuda::shared_memory<float>() + threadIdx.x / kWarp * padded;
  const float* source = queries.query + row * queries.query_stride + head;
  for (std::int64_t e = lane; e < padded; e += kWarp) {
    query[e] = e < width ? queries.scale * source[e] : 0.0f;
  }
  __syncwarp();

  const std::int64_t length = keys.length(row);
  float peak = -std::numeric_limits<float>::infinity(), total = 0, sums[kEach] = {};
  for (std::int64_t first = 0; first < length; first += kWarp) {
    const float* key = nullptr;
    float score = -std::numeric_limits<float>::infinity();
    if (first + lane < length) {
      key = keys(row, first + lane) + head;
      score = dot<kAligned>(query, key, width);
    }
    const float higher = scalar::max(peak, cuda::warp_max(score));
    const float fade = scalar::exp(peak - higher), weight = scalar::exp(score - higher);
    peak = higher;
    total = fmaf(total, fade, weight);
    for (float& sum : sums) sum *= fade;
    const int count = static_cast<int>(length - first < kWarp ? length - first : kWarp);
    for (int t = 0; t < count; ++t) {
      const float share = __shfl_sync(0xffffffffu, weight, t);
      const float* value = from_lane(key, t) + queries.width();
      for (int j = 0; j < kEach; ++j) {
        const std::int64_t column = first_column + j * kWarp;
        if (column < width) sums[j] = fmaf(share, value[column], sums[j]);
      }
    }
  }
  const float factor = length > 0 ? 1 / cuda::warp_sum(total) : 0.0f;
  float* output = queries.output + row * queries.width() + head;
  for (int j = 0; j < kEach; ++j) {
    const std::int64_t column = first_column + j * kWarp;
    if (column < width) output[column] = sums[j] * factor;
  }
}

template <int kEach, class Keys>
void launch_attend(CudaExec exec, Queries queries, const Keys& keys, bool aligned) {
  queries.blocks = ceil_div(queries.head_width, kEach * kWarp);
  cuda::Grid grid = cuda::one_thread_each(queries.rows * queries.heads * queries.blocks * kWarp);
  grid.shared_bytes =
      static_cast<std::size_t>(grid.threads.x / kWarp * queries.padded_width()) * sizeof(float);
  cuda::launch(exec, aligned ? attend<kEach, true, Keys> : attend<kEach, false, Keys>, grid,
               queries, keys);
}

void check_rows(const QueryRows& args, std::size_t given) {
  KETTE_CHECK(static_cast<std::int64_t>(given) == args.rows(),
              "decode attention: expected the lengths of ", args.rows(), " rows, given ", given);
}

/// bases: what the keys are counted from, `stride` apart.
template <class Keys>
void attend_rows(CudaExec exec, const QueryRows& args, const Keys& keys,
                 const std::vector<const float*>& bases) {
  const Queries queries{args.query,
                        args.output.data<float>(),
                        args.query_stride,
                        args.rows(),
                        args.heads,
                        args.width() / args.heads,
                        1,
                        static_cast<float>(args.scale)};
  const bool aligned = queries.head_width % 4 == 0 && keys.stride % 4 == 0 &&
                       std::all_of(bases.begin(), bases.end(), [](const float* base) {
                         return reinterpret_cast<std::uintptr_t>(base) % sizeof(float4) == 0;
                       });
  if (queries.head_width <= kWarp) return launch_attend<1>(exec, queries, keys, aligned);
  if (queries.head_width <= 2 * kWarp) return launch_attend<2>(exec, queries, keys, aligned);
  launch_attend<4>(exec, queries, keys, aligned);
}

}  // namespace

void memory_attention(CudaExec exec, const MemoryAttentionArgs& args) {
  check_rows(args.rows, args.lengths.size());
  std::vector<MemoryRow> rows;
  rows.reserve(args.keys.size());
  for (std::size_t row = 0; row < args.keys.size(); ++row) {
    rows.push_back({args.keys[row], args.lengths[row]});
  }
  const cuda::Uploaded<MemoryRow> uploaded(exec, rows);
  attend_rows(exec, args.rows, MemoryKeys{uploaded.data(), args.key_stride}, args.keys);
}

void cached_attention(CudaExec exec, const CachedAttentionArgs& args) {
  check_rows(args.rows, args.lengths.size());
  std::vector<CachedRow> rows;
  rows.reserve(args.lengths.size());
  for (std::size_t row = 0; row < args.lengths.size(); ++row) {
    rows.push_back({args.first_pages[row], args.lengths[row]});
  }
  const cuda::Uploaded<CachedRow> uploaded(exec, rows);
  const cuda::Uploaded<const float*> pages(exec, args.pages);
  const cuda::Uploaded<std::int32_t> slots(exec, args.slots, args.rows.rows() * args.slot_stride);
  attend_rows(
      exec, args.rows,
      CachedKeys{uploaded.data(), pages.data(), slots.data(), args.page_stride, args.slot_stride},
      args.pages);
}

}  // namespace kette::kernels

// The next token of each row, drawn by one block. All sums are of integers, so they do not depend
// on the order of threads. Nothing is sorted: a radix descent over the ranks, eight bits at a time,
// finds the rank of the least likely token to keep.
//
// The cost of a draw in passes over the row (which stays in the L2 cache): one for the likeliest,
// one for the weights, with one exp per token, and 1/32 of one to find the token. top_k adds up to
// four counting passes and leaves k tokens for exp. top_p adds up to four, the first with exp of
// all that top_k kept. They stop as soon as a bucket is kept whole, usually after two or three.
// Ties of which only some are kept take up to four more.
#include <algorithm>
#include <cmath>

#include "tensor/cuda/launch.h"
#include "tensor/rank.h"
#include "tensor/token_draw.h"

namespace kette::kernels {
namespace {

using cuda::ceil_div, cuda::kWarp;

constexpr int kMostThreads = 1024;
constexpr int kDigits = 8, kBuckets = 1 << kDigits;
constexpr Rank kNotFinite = ~Rank{0};

struct Rows {
  const float* logits;
  std::int64_t vocabulary;
  const double* reals;        // of DrawSettings
  const std::int32_t* whole;  // likewise
  const std::int32_t* positions;
  std::int32_t* drawn;
};

__device__ int warp() { return static_cast<int>(threadIdx.x) / kWarp; }
__device__ int lane() { return static_cast<int>(threadIdx.x) % kWarp; }
__device__ int warps() { return static_cast<int>(blockDim.x) / kWarp; }

/// Neighbouring tokens of a row.
struct Tokens {
  const float* logits;
  std::int64_t begin, end;

  __device__ std::int64_t count() const { return end - begin; }
  /// A part for one warp of the block.
  __device__ Tokens part(int number) const {
    const std::int64_t size = ceil_div(count(), warps());
    const std::int64_t first = scalar::min(begin + number * size, end);
    return {logits, first, scalar::min(first + size, end)};
  }
  /// Calls function(logit, token) for this warp's part, with several loads in flight.
  template <class Function>
  __device__ void for_own(const Function& function) const {
    constexpr int kLoads = 4;
    const Tokens own = part(warp());
    for (std::int64_t v = own.begin + lane(); v < own.end; v += kLoads * kWarp) {
      float values[kLoads] = {};
      KETTE_UNROLL
      for (int i = 0; i < kLoads; ++i) {
        if (v + i * kWarp < own.end) values[i] = logits[v + i * kWarp];
      }
      KETTE_UNROLL
      for (int i = 0; i < kLoads; ++i) {
        if (v + i * kWarp < own.end) function(values[i], v + i * kWarp);
      }
    }
  }
};

/// The first lane at which the cumulative sum of the lanes exceeds `place`; subtracts the sum of
/// the lanes before it from `place`.
__device__ int pass(TokenWeight sum, TokenWeight& place) {
  TokenWeight reached = sum;
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const TokenWeight before = __shfl_up_sync(~0u, reached, distance);
    if (lane() >= distance) reached += before;
  }
  const int first = __ffs(static_cast<int>(__ballot_sync(~0u, reached > place))) - 1;
  place -= __shfl_sync(~0u, reached - sum, first);
  return first;
}

/// Sums by bucket. Each lane has its own column, so that lanes of a warp never conflict. A sum is
/// two words with a carry, since shared memory adds 32 bits atomically, but 64 only in a loop.
class Histogram {
 public:
  static constexpr std::size_t kBytes = 2 * kBuckets * kWarp * sizeof(unsigned);

  __device__ void clear() const {
    for (unsigned i = threadIdx.x; i < 2 * kBuckets * kWarp; i += blockDim.x) low()[i] = 0;
  }
  __device__ void add(int bucket, TokenWeight weight) const {
    const int at = bucket * kWarp + lane();
    const auto low_half = static_cast<unsigned>(weight);
    const unsigned before = atomicAdd(low() + at, low_half);
    const unsigned carry = before + low_half < before;
    const unsigned high_half = static_cast<unsigned>(weight >> 32) + carry;
    if (high_half > 0) atomicAdd(high() + at, high_half);
  }
  /// The sum of a bucket. Neighbouring threads begin at neighbouring columns, in different banks.
  __device__ TokenWeight sum(int bucket) const {
    TokenWeight total = 0;
    for (int i = 0; i < kWarp; ++i) {
      const int at = bucket * kWarp + (i + bucket) % kWarp;
      total += TokenWeight{high()[at]} << 32 | low()[at];
    }
    return total;
  }

 private:
  __device__ static unsigned* low() { return cuda::shared_memory<unsigned>(); }
  __device__ static unsigned* high() { return low() + kBuckets * kWarp; }
};

/// A token's measure: 1 for top_k,
struct One {
  __device__ TokenWeight operator()(float, Rank) const { return 1; }
};

/// and for top_p and the draw its weight, if it is kept.
struct Weight {
  float peak;
  double temperature;
  Rank least;

  __device__ TokenWeight operator()(float logit, Rank rank) const {
    return rank >= least ? token_weight(logit, peak, temperature) : 0;
  }
};

/// Writes the sums of the buckets of the tokens whose rank equals `prefix` above `shift` + kDigits,
/// the highest bucket first, for the whole block.
template <class Measure>
__device__ void fill_buckets(const Tokens& row, Rank prefix, int shift, const Measure& measure,
                             TokenWeight* sums) {
  const Histogram histogram;
  histogram.clear();
  __syncthreads();
  row.for_own([&](float logit, std::int64_t token) {
    const Rank rank = rank_of(logit, token), digits = (rank ^ prefix) >> shift;
    if (digits < kBuckets) histogram.add(static_cast<int>(digits), measure(logit, rank));
  });
  __syncthreads();
  for (unsigned bucket = threadIdx.x; bucket < kBuckets; bucket += blockDim.x) {
    sums[kBuckets - 1 - bucket] = histogram.sum(static_cast<int>(bucket));
  }
  __syncthreads();
}

/// The state of a descent.
struct Descent {
  Rank prefix;
  bool done;
};

/// The least rank to keep: the fewest likeliest tokens whose measures sum to needed(the total) or
/// more.
template <class Measure, class Needed>
__device__ Rank least_kept(const Tokens& row, const Measure& measure, const Needed& needed) {
  constexpr int kEach = kBuckets / kWarp;
  __shared__ TokenWeight sums[kBuckets];
  __shared__ Descent descent;
  Rank prefix = 0;
  TokenWeight place = 0;  // the first warp's
  for (int shift = 64 - kDigits; shift >= 0; shift -= kDigits) {
    fill_buckets(row, prefix, shift, measure, sums);
    if (warp() == 0) {
      TokenWeight mine = 0;
      for (int i = 0; i < kEach; ++i) mine += sums[lane() * kEach + i];
      if (shift == 64 - kDigits) place = needed(cuda::warp_sum(mine)) - 1;
      const int first = pass(mine, place) * kEach;
      const int at = first + pass(lane() < kEach ? sums[first + lane()] : 0, place);
      prefix |= Rank(kBuckets - 1 - at) << shift;
      // The bucket's last token has at least this measure; if the others alone do not exceed
      // `place`, the bucket is kept whole.
      const TokenWeight least = measure(value_of(prefix), ~Rank{0});
      if (lane() == 0) descent = {prefix, place + least >= sums[at]};
    }
    __syncthreads();
    prefix = descent.prefix;
    if (descent.done) break;
  }
  return prefix;
}

/// The token at which the cumulative weight exceeds draw_place(total, ...).
__device__ std::int64_t draw(Tokens row, const Weight& weight, PhiloxKey text,
                             std::int32_t position) {
  __shared__ TokenWeight sums[kWarp];
  TokenWeight place = 0;
  for (bool whole = true; whole || row.count() > kWarp; whole = false) {
    TokenWeight mine = 0;
    row.for_own(
        [&](float logit, std::int64_t token) { mine += weight(logit, rank_of(logit, token)); });
    mine = cuda::warp_sum(mine);
    if (lane() == 0) sums[warp()] = mine;
    __syncthreads();
    mine = lane() < warps() ? sums[lane()] : 0;
    if (whole) place = draw_place(cuda::warp_sum(mine), text, position);
    row = row.part(pass(mine, place));
    __syncthreads();
  }
  const std::int64_t token = row.begin + lane();
  const bool exists = token < row.end;
  const float logit = exists ? row.logits[token] : 0;
  return row.begin + pass(exists ? weight(logit, rank_of(logit, token)) : 0, place);
}

__device__ Rank likeliest(const Tokens& row) {
  Rank best = 0;
  row.for_own([&](float logit, std::int64_t token) {
    best = scalar::max(best, std::isfinite(logit) ? rank_of(logit, token) : kNotFinite);
  });
  return cuda::block_reduce(best, Rank{0}, [](Rank part) { return cuda::warp_max(part); });
}

/// -1 if a logit is not finite.
__device__ std::int64_t draw_token(const Tokens& row, const Rows& args) {
  const Rank best = likeliest(row);
  if (best == kNotFinite) return -1;
  const DrawSettings::Row how = DrawSettings::row(args.reals, args.whole, gridDim.x, blockIdx.x);
  if (how.temperature == 0) return entry_of(best);
  Weight weight{value_of(best), how.temperature, 0};
  if (how.top_k > 0 && how.top_k < args.vocabulary) {
    weight.least = least_kept(row, One{}, [&](TokenWeight) { return TokenWeight(how.top_k); });
  }
  if (how.top_p < 1) {
    const Rank least =
        least_kept(row, weight, [&](TokenWeight total) { return share_of(total, how.top_p); });
    weight.least = scalar::max(weight.least, least);
  }
  return draw(row, weight, {how.seed, how.text}, args.positions[blockIdx.x]);
}

__global__ void __launch_bounds__(kMostThreads) draw_tokens(Rows args) {
  const float* logits = args.logits + blockIdx.x * args.vocabulary;
  const std::int64_t token = draw_token({logits, 0, args.vocabulary}, args);
  if (threadIdx.x > 0) return;
  args.drawn[blockIdx.x] = static_cast<std::int32_t>(scalar::max(token, std::int64_t{0}));
  args.drawn[gridDim.x + blockIdx.x] = token < 0;
}

}  // namespace

void sample(CudaExec exec, const SampleArgs& args) {
  args.check();
  const std::int64_t vocabulary = args.logits.width();
  const std::int64_t threads =
      std::min<std::int64_t>(kMostThreads, cuda::round_up(vocabulary, kWarp));
  cuda::launch(exec, draw_tokens,
               {dim3(static_cast<unsigned>(args.logits.rows())),
                dim3(static_cast<unsigned>(threads)), args.settings.cut ? Histogram::kBytes : 0},
               Rows{args.logits.data<float>(), vocabulary, args.settings.reals.data<double>(),
                    args.settings.whole.data<std::int32_t>(), args.positions.data<std::int32_t>(),
                    args.drawn.data<std::int32_t>()});
}

}  // namespace kette::kernels

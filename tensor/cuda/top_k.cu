// The likeliest entries of log softmax(states W^T), some rows at a time: a product gives the logits
// of a chunk of rows, which are still in the L2 cache when one block per row reads them:
//   shift = max z + log sum_v exp(z_v - max z),   value of entry v = z_v - shift
// Then, `count` times, the block takes the best of its threads' best entries, and that thread finds
// its next one.
#include <algorithm>

#include "tensor/cuda/launch.h"
#include "tensor/rank.h"

namespace kette::kernels {
namespace {

using cuda::kWarp;

constexpr int kThreads = 512;
constexpr float kLowest = -std::numeric_limits<float>::infinity();

struct TopRows {
  float* logits;  // [rows, vocabulary]; overwritten outside of the masks
  std::int64_t vocabulary, count;
  const std::int32_t *words, *masks;  // see TokenMasks; null if undefined
  const std::int32_t* targets;
  float *target_values, *values;
  std::int32_t* entries;
};

/// log sum exp of a row; collective.
__device__ double log_sum_exp(const float* line, std::int64_t vocabulary) {
  float peak = kLowest, total = 0;
  for (std::int64_t v = threadIdx.x; v < vocabulary; v += kThreads) {
    peak = scalar::max(peak, line[v]);
  }
  peak = cuda::block_max(peak);
  for (std::int64_t v = threadIdx.x; v < vocabulary; v += kThreads) {
    total += scalar::exp(line[v] - peak);
  }
  return double(peak) + scalar::log(double(cuda::block_sum(total)));
}

__global__ void __launch_bounds__(kThreads) select_entries(TopRows args) {
  const std::int64_t row = blockIdx.x;
  const int thread = static_cast<int>(threadIdx.x), warp = thread / kWarp, lane = thread % kWarp;
  float* line = args.logits + row * args.vocabulary;
  const double shift = log_sum_exp(line, args.vocabulary);  // NaN when any logit is
  if (thread == 0) {
    args.target_values[row] = static_cast<float>(double(line[args.targets[row]]) - shift);
  }
  __syncthreads();
  if (args.words != nullptr) {
    const std::int64_t words = cuda::ceil_div(args.vocabulary, 32);
    const std::int32_t* mask = args.words + (args.masks != nullptr ? args.masks[row] : 0) * words;
    for (std::int64_t v = thread; v < args.vocabulary; v += kThreads) {
      const auto word = static_cast<std::uint32_t>(mask[v / 32]);
      if ((word >> (v % 32) & 1u) == 0) line[v] = kLowest;
    }
  }
  __syncthreads();

  // A thread's entries are v = thread, thread + kThreads, ...
  Rank mine = 0;
  for (std::int64_t v = thread; v < args.vocabulary; v += kThreads) {
    mine = scalar::max(mine, rank_of(line[v], v));
  }
  for (std::int64_t i = 0; i < args.count; ++i) {
    const Rank best =
        cuda::block_reduce(mine, Rank{0}, [](Rank part) { return cuda::warp_max(part); });
    const std::int32_t entry = best > 0 ? entry_of(best) : -1;
    if (thread == 0) {
      args.entries[row * args.count + i] = entry;
      const double logit = best > 0 ? line[entry] : kLowest;
      args.values[row * args.count + i] = static_cast<float>(logit - shift);
    }
    const int owner = entry % kThreads;
    if (best == 0 || warp != owner / kWarp) continue;
    // The owner's warp helps to search its entries.
    Rank next = 0;
    for (std::int64_t v = owner + std::int64_t{lane} * kThreads; v < args.vocabulary;
         v += kWarp * kThreads) {
      const Rank rank = rank_of(line[v], v);
      if (rank < best) next = scalar::max(next, rank);
    }
    next = cuda::warp_max(next);
    if (thread == owner) mine = next;
  }
}

}  // namespace

void top_k(CudaExec exec, const TopKArgs& args) {
  const PrepackedWeight& weight = *args.weight;
  const std::int64_t rows = args.states.rows(), count = args.values.width();
  const std::int64_t chunk =
      std::max<std::int64_t>(1, std::min(rows, args.logits_at_once / weight.out));
  const Tensor logits =
      Tensor::empty({chunk, weight.out}, DType::f32, {DeviceKind::cuda, exec.device});
  const TokenMasks& masks = args.masks;
  const auto* words = masks.defined() ? masks.words.data<std::int32_t>() : nullptr;
  const auto* of_rows = masks.rows.defined() ? masks.rows.data<std::int32_t>() : nullptr;
  for (std::int64_t begin = 0; begin < rows; begin += chunk) {
    const std::int64_t end = std::min(rows, begin + chunk);
    prepacked_linear(exec, {&weight, args.states.slice(begin, end), logits.slice(0, end - begin)});
    cuda::launch(
        exec, select_entries, {dim3(static_cast<unsigned>(end - begin)), dim3(kThreads)},
        TopRows{logits.data<float>(), weight.out, count, words,
                of_rows != nullptr ? of_rows + begin : nullptr,
                args.targets.data<std::int32_t>() + begin, args.target_values.data<float>() + begin,
                args.values.data<float>() + begin * count,
                args.entries.data<std::int32_t>() + begin * count});
  }
}

}  // namespace kette::kernels

// Attention of single queries. A row's scores, [heads, length], stay in cache between the pass over
// the keys and the pass over the values.
#include <algorithm>

#include "tensor/cpu/parallel.h"
#include "tensor/kernels.h"

namespace kette::kernels {
namespace {

/// One row: key_of(t) is the key of position t, and the value lies `width` elements behind it.
template <class KeyOf>
void attend(const QueryRows& args, std::int64_t row, std::int64_t length, float* scores,
            const KeyOf& key_of) {
  const std::int64_t width = args.width(), head_width = width / args.heads;
  const float* query = args.query + row * args.query_stride;
  const float scale = static_cast<float>(args.scale);
  for (std::int64_t t = 0; t < length; ++t) {
    const float* key = key_of(t);
    for (std::int64_t head = 0; head < args.heads; ++head) {
      const float *q = query + head * head_width, *k = key + head * head_width;
      float dot = 0;
#pragma omp simd reduction(+ : dot)
      for (std::int64_t e = 0; e < head_width; ++e) dot += q[e] * k[e];
      scores[head * length + t] = scale * dot;
    }
  }
  float* output = args.output.data<float>() + row * width;
  for (std::int64_t head = 0; head < args.heads; ++head) {
    float* weights = scores + head * length;
    const float peak = *std::max_element(weights, weights + length);
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (std::int64_t t = 0; t < length; ++t) {
      weights[t] = scalar::exp(weights[t] - peak);
      total += weights[t];
    }
    float* out = output + head * head_width;
    std::fill_n(out, head_width, 0.0f);
    for (std::int64_t t = 0; t < length; ++t) {
      const float* value = key_of(t) + width + head * head_width;
      const float weight = weights[t] / total;
#pragma omp simd
      for (std::int64_t e = 0; e < head_width; ++e) out[e] += weight * value[e];
    }
  }
}

/// key_of(row, t) for all rows, some rows a thread.
template <class KeyOf>
void attend_rows(const QueryRows& args, const std::vector<std::int64_t>& lengths,
                 const KeyOf& key_of) {
  KETTE_CHECK(static_cast<std::int64_t>(lengths.size()) == args.rows(),
              "decode attention: expected the lengths of ", args.rows(), " rows, given ",
              lengths.size());
  constexpr std::int64_t kRowsPerBlock = 8;
  const std::int64_t longest =
      lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  cpu::parallel_blocks(
      args.rows(), kRowsPerBlock, 2 * longest * args.width(),
      [&](std::int64_t begin, std::int64_t end) {
        thread_local std::vector<float> scores;
        scores.resize(std::max(scores.size(), static_cast<std::size_t>(args.heads * longest)));
        for (std::int64_t row = begin; row < end; ++row) {
          attend(args, row, lengths[static_cast<std::size_t>(row)], scores.data(),
                 [&](std::int64_t t) { return key_of(row, t); });
        }
      });
}

}  // namespace

void memory_attention(CpuExec, const MemoryAttentionArgs& args) {
  attend_rows(args.rows, args.lengths, [&](std::int64_t row, std::int64_t t) {
    return args.keys[static_cast<std::size_t>(row)] + t * args.key_stride;
  });
}

void cached_attention(CpuExec, const CachedAttentionArgs& args) {
  attend_rows(args.rows, args.lengths, [&](std::int64_t row, std::int64_t t) {
    const std::int64_t page = args.first_pages[static_cast<std::size_t>(row)] + t;
    const std::int64_t slot = args.slots[row * args.slot_stride + t];
    return args.pages[static_cast<std::size_t>(page)] + slot * args.page_stride;
  });
}

}  // namespace kette::kernels

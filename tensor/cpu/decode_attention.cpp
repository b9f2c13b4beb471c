// Attention of single queries. A row's scores, [heads, length], stay in cache between the pass over
// the keys and the pass over the values.
#include <omp.h>

#include <algorithm>
#include <limits>
#include <span>

#include "tensor/cpu/parallel.h"
#include "tensor/cpu/vector_math.h"
#include "tensor/kernels.h"
#include "tensor/observer.h"

namespace kette::kernels {
namespace {

using cpu::load_floats;
using S = cpu::Simd<float>;

/// Lane i is the product of a query with the `count` elements of keys[i] from `column` on.
template <class Kept>
S::Vector dots(const float* query, const Kept* const* keys, std::int64_t column,
               std::int64_t count) {
  S::Vector sums[S::kLanes] = {};
  std::int64_t e = 0;
  for (; e + S::kLanes <= count; e += S::kLanes) {
    const S::Vector factor = S::load(query + e);
#pragma GCC unroll 16
    for (int i = 0; i < S::kLanes; ++i) sums[i] += factor * load_floats(keys[i] + column + e);
  }
  S::Vector products = S::sums_of_lanes(sums);
  for (; e < count; ++e) {
    for (int i = 0; i < S::kLanes; ++i) products[i] += query[e] * float(keys[i][column + e]);
  }
  return products;
}

/// out += sum over t of weights[t] * values[t][column ...], for `vectors` whole vectors.
template <int vectors, class Kept>
void mix_vectors(const float* weights, std::span<const Kept* const> values, std::int64_t column,
                 float* out) {
  S::Vector sums[vectors];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) sums[v] = S::load(out + v * S::kLanes);
  for (std::size_t t = 0; t < values.size(); ++t) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      sums[v] += weights[t] * load_floats(values[t] + column + v * S::kLanes);
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) S::store(out + v * S::kLanes, sums[v]);
}

/// The same for `count` columns.
template <class Kept>
void mix(const float* weights, std::span<const Kept* const> values, std::int64_t column,
         std::int64_t count, float* out) {
  std::int64_t e = 0;
  for (; e + 4 * S::kLanes <= count; e += 4 * S::kLanes) {
    mix_vectors<4>(weights, values, column + e, out + e);
  }
  for (; e + S::kLanes <= count; e += S::kLanes) {
    mix_vectors<1>(weights, values, column + e, out + e);
  }
  for (; e < count; ++e) {
    for (std::size_t t = 0; t < values.size(); ++t) {
      out[e] += weights[t] * float(values[t][column + e]);
    }
  }
}

std::int64_t padded(std::int64_t length) { return cpu::round_up(length, S::kLanes); }

/// scores become softmax(scores); there is room up to padded(length).
void normalize(float* scores, std::int64_t length) {
  const std::int64_t end = padded(length);
  std::fill(scores + length, scores + end, -std::numeric_limits<float>::infinity());
  S::Vector highest = S::load(scores);
  for (std::int64_t t = S::kLanes; t < end; t += S::kLanes)
    highest = S::max(highest, S::load(scores + t));
  const float peak = S::max_lanes(highest);
  S::Vector sums{};
  for (std::int64_t t = 0; t < end; t += S::kLanes) {
    const S::Vector weights = cpu::exp_of_negative(S::load(scores + t) - peak);
    S::store(scores + t, weights);
    sums += weights;
  }
  const float factor = 1 / S::sum_lanes(sums);
  for (std::int64_t t = 0; t < end; t += S::kLanes)
    S::store(scores + t, S::load(scores + t) * factor);
}

/// A thread's working memory: the scores of one row, [heads, padded length], and the addresses of
/// its keys, [padded length], padded with the last one.
template <class Kept>
struct RowScratch {
  std::vector<float> scores;
  std::vector<const Kept*> keys;
};

// Keys, and values, are too far apart for the processor's own prefetching.
template <class Kept>
void prefetch(const Kept* from, std::int64_t count) {
  constexpr int kSecondLevel = 2;  // L2 cache: more lines can be in flight
  constexpr auto kLine = static_cast<std::int64_t>(64 / sizeof(Kept));
  for (std::int64_t e = 0; e < count; e += kLine) __builtin_prefetch(from + e, 0, kSecondLevel);
}

struct Heads {
  std::int64_t begin, end;
};

/// Some heads of one row; a value is `key_width` elements after its key.
template <class Kept>
void attend(const QueryRows& args, std::int64_t row, Heads heads, std::int64_t length,
            RowScratch<Kept>& scratch) {
  const std::int64_t width = args.width(), head_width = width / args.heads, stride = padded(length),
                     group = args.pattern.group;
  const float* query = args.query + row * args.query_stride;
  const float scale = static_cast<float>(args.scale);
  const auto column_of = [&](std::int64_t head) { return head / group * head_width; };
  // While a head processes its rows [begin, end), it prefetches its share of the next rows, as
  // many, of all heads.
  const std::int64_t used = column_of(heads.end - 1) + head_width - column_of(heads.begin);
  const auto fetch_next = [&](std::int64_t begin, std::int64_t end, std::int64_t head,
                              std::int64_t offset) {
    const std::int64_t rows = end - begin, part = head - heads.begin,
                       parts = heads.end - heads.begin;
    const std::int64_t last = std::min(length, end + rows * (part + 1) / parts);
    for (std::int64_t t = end + rows * part / parts; t < last; ++t) {
      prefetch(scratch.keys[t] + offset + column_of(heads.begin), used);
    }
  };
  for (std::int64_t t = 0; t < length; t += S::kLanes) {
    for (std::int64_t head = heads.begin; head < heads.end; ++head) {
      fetch_next(t, t + S::kLanes, head, 0);
      S::store(scratch.scores.data() + head * stride + t,
               scale * dots(query + head * head_width, scratch.keys.data() + t, column_of(head),
                            head_width));
    }
  }
  for (std::int64_t head = heads.begin; head < heads.end; ++head) {
    float* weights = scratch.scores.data() + head * stride;
    const auto slope = static_cast<float>(args.pattern.slope(head, args.heads));
    for (std::int64_t t = 0; slope != 0 && t < length; ++t) {
      weights[t] -= slope * static_cast<float>(length - 1 - t);
    }
    normalize(weights, length);
  }
  float* output = args.output.data<float>() + row * width;
  std::fill(output + heads.begin * head_width, output + heads.end * head_width, 0.0f);
  // A few values for all heads at a time: in memory order.
  constexpr std::int64_t kTogether = 32;
  for (std::int64_t begin = 0; begin < length; begin += kTogether) {
    const std::int64_t end = std::min(length, begin + kTogether);
    for (std::int64_t head = heads.begin; head < heads.end; ++head) {
      fetch_next(begin, end, head, args.key_width());
      mix<Kept>(scratch.scores.data() + head * stride + begin,
                {scratch.keys.data() + begin, scratch.keys.data() + end},
                args.key_width() + column_of(head), head_width, output + head * head_width);
    }
  }
}

/// A thread takes some rows or, if rows are few, some heads of rows. Kept: the cache's type.
template <class Kept>
void attend_all(const CachedAttentionArgs& args) {
  const QueryRows& queries = args.rows;
  const std::int64_t rows = queries.rows();
  if (rows == 0) return;
  const std::int32_t* positions = args.places.positions.data<std::int32_t>();
  // FLOPs are counted here, since the host does not know the positions of a GPU's rows.
  const auto length_of = [&](std::int64_t row) {
    return positions[row] + 1 - queries.pattern.first_visible(positions[row]);
  };
  std::int64_t pairs = 0, longest = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    pairs += length_of(row);
    longest = std::max(longest, length_of(row));
  }
  count_flops(4 * static_cast<double>(pairs) * static_cast<double>(queries.width()));
  const std::int32_t* lines = args.places.lines.data<std::int32_t>();
  const std::int32_t* table = args.places.table.data<std::int32_t>();
  const std::int64_t table_width = args.places.table.width(), slot_width = args.cache.width();
  const Kept* cache = args.cache.data<Kept>();
  constexpr std::int64_t kRowsPerBlock = 8;
  const std::int64_t blocks = cpu::ceil_div(rows, kRowsPerBlock);
  const std::int64_t groups =
      omp_in_parallel()
          ? 1
          : std::min<std::int64_t>(queries.heads, cpu::ceil_div(omp_get_max_threads(), blocks));
  const std::int64_t rows_each = std::min(kRowsPerBlock, rows);
  const std::int64_t cost_each = rows_each * longest * queries.width() / groups;
  cpu::parallel_blocks(blocks * groups, 1, cost_each, [&](std::int64_t part, std::int64_t) {
    const std::int64_t first = part / groups * kRowsPerBlock, group = part % groups;
    const Heads heads{queries.heads * group / groups, queries.heads * (group + 1) / groups};
    thread_local RowScratch<Kept> scratch;
    const auto most = static_cast<std::size_t>(padded(longest));
    if (scratch.keys.size() < most) scratch.keys.resize(most);
    const std::size_t scores = most * static_cast<std::size_t>(queries.heads);
    if (scratch.scores.size() < scores) scratch.scores.resize(scores);
    for (std::int64_t row = first; row < std::min(rows, first + kRowsPerBlock); ++row) {
      const std::int64_t length = length_of(row);
      const std::int32_t* slots = table + lines[row] * table_width + positions[row] + 1 - length;
      for (std::int64_t t = 0; t < padded(length); ++t) {
        scratch.keys[t] = cache + slots[std::min(t, length - 1)] * slot_width;
      }
      attend(queries, row, heads, length, scratch);
    }
  });
}

}  // namespace

void cached_attention(CpuExec, const CachedAttentionArgs& args) {
  args.check();
  args.cache.dtype() == DType::bf16 ? attend_all<BFloat16>(args) : attend_all<float>(args);
}

}  // namespace kette::kernels

// Vocabulary projection, log softmax and selection in one pass: a chunk of columns is multiplied
// for a block of rows, and while it is in cache each row takes the sum of exponentials and its
// likeliest entries. The sums of chunks are combined in column order, independent of threads.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "tensor/cpu/int8_rows.h"
#include "tensor/cpu/parallel.h"
#include "tensor/cpu/prepacked_tile.h"
#include "tensor/cpu/scratch.h"
#include "tensor/cpu/vector_math.h"
#include "tensor/kernels.h"
#include "tensor/observer.h"

namespace kette::kernels {
namespace {

using cpu::kPanel;

constexpr std::int64_t kChunk = 256;  // columns, a multiple of kPanel and of kGroup
constexpr std::int64_t kGroup = 32;   // the bits of a mask's word
constexpr float kLowest = -std::numeric_limits<float>::infinity();
static_assert(kChunk % kPanel == 0 && kChunk % cpu::kInt8Panel == 0 && kChunk % kGroup == 0);

/// The largest of a stream of values. Entries come in ascending order, so an equal one ranks after.
/// A few are kept in descending order. Many are a heap with the worst on top until sort(), so that
/// an entry costs log(count), not count.
struct TopK {
  float* values;
  std::int32_t* entries;
  std::int64_t count;

  static constexpr std::int64_t kFew = 64;

  void clear() const {
    std::fill_n(values, count, kLowest);
    std::fill_n(entries, count, -1);
  }
  bool is_heap() const { return count > kFew; }
  float worst() const { return values[is_heap() ? 0 : count - 1]; }
  void offer(float value, std::int32_t entry) const {
    if (!(value > worst())) return;
    if (is_heap()) return sift_down(value, entry, count);
    std::int64_t at = count - 1;
    for (; at > 0 && value > values[at - 1]; --at) {
      values[at] = values[at - 1];
      entries[at] = entries[at - 1];
    }
    values[at] = value;
    entries[at] = entry;
  }
  /// Sorts the values in descending order, after the last one.
  void sort() const {
    for (std::int64_t size = count - 1; is_heap() && size > 0; --size) {
      const float value = values[size];
      const std::int32_t entry = entries[size];
      values[size] = values[0];
      entries[size] = entries[0];
      sift_down(value, entry, size);
    }
  }
  /// Replaces the top of a heap of this size.
  void sift_down(float value, std::int32_t entry, std::int64_t size) const {
    const auto is_worse = [&](std::int64_t a, float than, std::int32_t of) {
      return values[a] < than || (values[a] == than && entries[a] > of);
    };
    std::int64_t at = 0;
    for (std::int64_t child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && is_worse(child + 1, values[child], entries[child])) ++child;
      if (!is_worse(child, value, entry)) break;
      values[at] = values[child];
      entries[at] = entries[child];
      at = child;
    }
    values[at] = value;
    entries[at] = entry;
  }
};

using S = cpu::Simd<float>;
static_assert(kGroup % S::kLanes == 0);

/// A chunk's part of a row's normaliser: sum of exp(x - peak).
struct ChunkSum {
  float peak, sum;
};

float group_peak(const float* group) {
  S::Vector highest = S::load(group);
  for (std::int64_t j = S::kLanes; j < kGroup; j += S::kLanes) {
    highest = S::max(highest, S::load(group + j));
  }
  return S::max_lanes(highest);
}

/// Processes one row of logits, columns [first, first + kChunk). Columns beyond the vocabulary are
/// -infinity. mask: a bit for each column, whether it may be among the likeliest; null: all may.
ChunkSum take_chunk(const float* logits, std::int64_t first, const std::int32_t* mask,
                    const TopK& best) {
  float peaks[kChunk / kGroup];
  float peak = kLowest;
  for (std::int64_t group = 0; group < kChunk / kGroup; ++group) {
    peaks[group] = group_peak(logits + group * kGroup);
    peak = std::max(peak, peaks[group]);
  }
  S::Vector sums{};
  for (std::int64_t j = 0; j < kChunk; j += S::kLanes) {
    sums += cpu::exp_of_negative(S::load(logits + j) - peak);
  }
  for (std::int64_t group = 0; group < kChunk / kGroup; ++group) {
    if (!(peaks[group] > best.worst())) continue;  // nor is any column that there is not
    const auto allowed =
        mask != nullptr ? static_cast<std::uint32_t>(mask[first / kGroup + group]) : ~0u;
    for (std::int64_t j = 0; j < kGroup; ++j) {
      if ((allowed >> j & 1u) == 0) continue;
      const std::int64_t column = group * kGroup + j;
      best.offer(logits[column], static_cast<std::int32_t>(first + column));
    }
  }
  return {peak, S::sum_lanes(sums)};
}

struct Columns {
  std::int64_t begin, end;
};

/// Logits of some columns, in lines of kChunk.
void multiply_chunk(const PrepackedWeight& weight, RowsView<const float> x, std::int64_t rows,
                    Columns columns, float* logits) {
  weight.visit_panels([&](const auto* panels) {
    for (std::int64_t column = columns.begin; column < columns.end; column += kPanel) {
      cpu::multiply_panel(rows, weight.in, x, panels + column * weight.in,
                          {weight.bias.data<float>() + column, 0}, logits + column - columns.begin,
                          kChunk);
    }
  });
}

const std::int32_t* mask_of(const TokenMasks& masks, std::int64_t row) {
  if (!masks.defined()) return nullptr;
  const std::int64_t mask = masks.rows.defined() ? masks.rows.data<std::int32_t>()[row] : 0;
  return masks.words.data<std::int32_t>() + mask * masks.words.width();
}

/// log of the sum of exp over all chunks; sums[chunk * stride].
double log_sum_exp(const ChunkSum* sums, std::int64_t chunks, std::int64_t stride) {
  float peak = kLowest;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
    peak = std::max(peak, sums[chunk * stride].peak);
  double total = 0;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const ChunkSum& part = sums[chunk * stride];
    total += double(part.sum) * double(scalar::exp(part.peak - peak));
  }
  return peak + std::log(total);
}

}  // namespace

void top_k(CpuExec, const TopKArgs& args) {
  const PrepackedWeight& weight = *args.weight;
  const std::int64_t rows = args.states.rows(), depth = weight.in, vocabulary = weight.out;
  const std::int64_t count = args.values.width();
  count_flops(2.0 * static_cast<double>(rows) * static_cast<double>(depth * vocabulary));
  const std::int64_t chunks = cpu::ceil_div(vocabulary, kChunk);
  std::optional<cpu::RoundedRows> rounded;
  if (weight.panels.dtype() == DType::int8) rounded.emplace(args.states);
  const std::int32_t* targets = args.targets.data<std::int32_t>();
  float* target_values = args.target_values.data<float>();
  float* values = args.values.data<float>();
  std::int32_t* entries = args.entries.data<std::int32_t>();

  // Each range of chunks has its own list per row; the merged list does not depend on the ranges.
  const std::int64_t ranges =
      omp_in_parallel() ? 1 : std::min<std::int64_t>(chunks, omp_get_max_threads());
  const cpu::Scratch<ChunkSum> sums(chunks * rows);
  const cpu::Scratch<float> best_values(ranges * rows * count);
  const cpu::Scratch<std::int32_t> best_entries(ranges * rows * count);
  const auto best = [&](std::int64_t range, std::int64_t row) {
    const std::int64_t at = (range * rows + row) * count;
    return TopK{best_values.data() + at, best_entries.data() + at, count};
  };
  const std::int64_t cost = rows * depth * vocabulary / ranges / cpu::kMultiplyAddsPerOperation;
  cpu::parallel_blocks(ranges, 1, cost, [&](std::int64_t range, std::int64_t) {
    const cpu::Scratch<float> logits(std::min(rows, cpu::kBlockRows) * kChunk);
    for (std::int64_t row = 0; row < rows; ++row) best(range, row).clear();
    for (std::int64_t begin = 0; begin < rows; begin += cpu::kBlockRows) {
      const std::int64_t block = std::min(cpu::kBlockRows, rows - begin);
      for (std::int64_t chunk = chunks * range / ranges; chunk < chunks * (range + 1) / ranges;
           ++chunk) {
        const std::int64_t first = chunk * kChunk, columns = std::min(kChunk, vocabulary - first);
        if (rounded) {
          for (std::int64_t j = 0; j < columns; j += cpu::kInt8Panel) {
            cpu::multiply_int8_panel(block, rounded->from(begin), weight, first + j,
                                     cpu::kInt8Panel, logits.data() + j, kChunk);
          }
        } else {
          multiply_chunk(weight, {args.states.data<float>() + begin * depth, depth}, block,
                         {first, first + columns}, logits.data());
        }
        for (std::int64_t i = 0; i < block; ++i) {
          const std::int64_t row = begin + i;
          float* line = logits.data() + i * kChunk;
          std::fill(line + columns, line + kChunk, kLowest);
          const std::int64_t target = targets[row] - first;
          if (target >= 0 && target < columns) target_values[row] = line[target];
          sums.data()[chunk * rows + row] =
              take_chunk(line, first, mask_of(args.masks, row), best(range, row));
        }
      }
    }
  });

  for (std::int64_t row = 0; row < rows; ++row) {
    const TopK merged{values + row * count, entries + row * count, count};
    merged.clear();
    for (std::int64_t range = 0; range < ranges; ++range) {
      const TopK part = best(range, row);
      part.sort();  // ties: the lower entry must come first
      for (std::int64_t i = 0; i < count; ++i) merged.offer(part.values[i], part.entries[i]);
    }
    merged.sort();
    const double shift = log_sum_exp(sums.data() + row, chunks, rows);
    for (std::int64_t i = 0; i < count; ++i) {
      merged.values[i] = static_cast<float>(double(merged.values[i]) - shift);
    }
    target_values[row] = static_cast<float>(double(target_values[row]) - shift);
  }
}

}  // namespace kette::kernels

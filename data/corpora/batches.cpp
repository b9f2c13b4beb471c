#include "data/corpora/batches.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "tensor/error.h"
#include "tensor/parallel_for.h"

namespace kette {

Batch make_batch(const PairStore& pairs, std::span<const std::int64_t> numbers,
                 const SpecialTokens& special, const ChangePair& change) {
  Batch batch;
  batch.sentence_ids.assign(numbers.begin(), numbers.end());
  std::vector<std::int64_t> source_lengths, target_lengths;
  const auto append = [](std::vector<std::int32_t>& ids, std::span<const std::int32_t> more) {
    ids.insert(ids.end(), more.begin(), more.end());
  };
  std::vector<PairIds> all(numbers.size());
  const auto read = [&](std::int64_t i) {
    all[i] = pairs.read(numbers[i]);
    if (change) change(static_cast<std::size_t>(i), all[i]);
  };
  // A change takes longer than a start of threads.
  parallel_for(std::ssize(numbers), change ? 8 : std::ssize(numbers), read);
  for (const PairIds& pair : all) {
    append(batch.source, pair.source);
    batch.source.push_back(special.end);
    source_lengths.push_back(std::ssize(pair.source) + 1);

    batch.target_in.push_back(special.begin);
    append(batch.target_in, pair.target);
    append(batch.target_out, pair.target);
    batch.target_out.push_back(special.end);
    target_lengths.push_back(std::ssize(pair.target) + 1);
  }
  batch.source_segments = Segments::from_lengths(source_lengths);
  batch.target_segments = Segments::from_lengths(target_lengths);
  return batch;
}

namespace {

/// Where a sentence starts in one side of a batch; the source of a language model is empty.
std::int64_t begin_of(const Segments& segments, std::int64_t sentence) {
  return segments.count() > 0 ? segments.begin(sentence) : 0;
}

/// Sentences [first, last) of a batch.
Batch slice(const Batch& batch, std::int64_t first, std::int64_t last) {
  const auto rows = [&](const std::vector<std::int32_t>& ids, const Segments& segments) {
    return std::vector<std::int32_t>(ids.begin() + begin_of(segments, first),
                                     ids.begin() + begin_of(segments, last));
  };
  const auto lengths = [&](const Segments& segments) {
    std::vector<std::int64_t> result;
    for (std::int64_t i = first; i < last && segments.count() > 0; ++i)
      result.push_back(segments.length(i));
    return Segments::from_lengths(result);
  };
  return {rows(batch.source, batch.source_segments),
          lengths(batch.source_segments),
          rows(batch.target_in, batch.target_segments),
          rows(batch.target_out, batch.target_segments),
          lengths(batch.target_segments),
          {batch.sentence_ids.begin() + first, batch.sentence_ids.begin() + last},
          batch.source_types.empty() ? batch.source_types
                                     : rows(batch.source_types, batch.source_segments)};
}

}  // namespace

std::vector<Batch> split(const Batch& batch, std::int64_t tokens) {
  const Segments &source = batch.source_segments, &target = batch.target_segments;
  const std::int64_t rows = std::max(source.rows(), target.rows());
  const std::int64_t parts = std::max<std::int64_t>(1, rows / tokens + (rows % tokens > 0));
  const auto part_of = [&](std::int64_t sentence) {
    return parts * (begin_of(source, sentence) + target.begin(sentence)) /
           (source.rows() + target.rows());
  };
  std::vector<Batch> result;
  for (std::int64_t first = 0, last = 0; first < target.count(); first = last) {
    while (last < target.count() && part_of(last) == part_of(first)) ++last;
    result.push_back(slice(batch, first, last));
  }
  return result;
}

std::vector<std::vector<std::int64_t>> plan_batches(const PairStore& pairs,
                                                    std::int64_t tokens_per_batch) {
  std::vector<std::int64_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const PairLengths of_a = pairs.lengths(a), of_b = pairs.lengths(b);
    return std::tuple(of_a.source, of_a.target, a) < std::tuple(of_b.source, of_b.target, b);
  });
  std::vector<std::vector<std::int64_t>> plan;
  BatchLimit limit(tokens_per_batch);
  for (const std::int64_t pair : order) {
    if (limit.begins_new(pairs.lengths(pair))) plan.emplace_back();
    plan.back().push_back(pair);
  }
  return plan;
}

BatchLimit::BatchLimit(std::int64_t tokens) : tokens_(tokens) {
  KETTE_CHECK(tokens > 0, "batches: expected at least one token in a batch, given ", tokens);
}

bool BatchLimit::begins_new(const PairLengths& lengths) {
  batch_ += {lengths.source + 1, lengths.target + 1};
  const bool is_first = batch_ == TokenCounts{lengths.source + 1, lengths.target + 1};
  if (!is_first && std::max(batch_.source, batch_.target) <= tokens_) return false;
  batch_ = {lengths.source + 1, lengths.target + 1};
  return true;
}

}  // namespace kette

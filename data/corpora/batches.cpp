#include "data/corpora/batches.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "tensor/error.h"

namespace kette {

Batch make_batch(const TokenLists& source, const TokenLists& target,
                 std::span<const std::int64_t> sentence_ids, const SpecialTokens& special) {
  Batch batch;
  batch.sentence_ids.assign(sentence_ids.begin(), sentence_ids.end());
  std::vector<std::int64_t> source_lengths, target_lengths;
  const auto append = [](std::vector<std::int32_t>& ids, std::span<const std::int32_t> more) {
    ids.insert(ids.end(), more.begin(), more.end());
  };
  for (const std::int64_t sentence : sentence_ids) {
    append(batch.source, source[sentence]);
    batch.source.push_back(special.end);
    source_lengths.push_back(source.length(sentence) + 1);

    batch.target_in.push_back(special.begin);
    append(batch.target_in, target[sentence]);
    append(batch.target_out, target[sentence]);
    batch.target_out.push_back(special.end);
    target_lengths.push_back(target.length(sentence) + 1);
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
  const std::int64_t parts =
      std::max<std::int64_t>(1, (std::max(source.rows(), target.rows()) + tokens - 1) / tokens);
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

BatchPlan cut(std::span<const std::int64_t> order, const TokenLists& source,
              const TokenLists& target, std::int64_t tokens_per_batch) {
  KETTE_CHECK(tokens_per_batch > 0, "batches: expected at least one token in a batch, given ",
              tokens_per_batch);
  BatchPlan plan;
  std::int64_t source_tokens = 0, target_tokens = 0;
  for (const std::int64_t sentence : order) {
    source_tokens += source.length(sentence) + 1;
    target_tokens += target.length(sentence) + 1;
    if (plan.empty() || std::max(source_tokens, target_tokens) > tokens_per_batch) {
      plan.emplace_back();
      source_tokens = source.length(sentence) + 1;
      target_tokens = target.length(sentence) + 1;
    }
    plan.back().push_back(sentence);
  }
  return plan;
}

BatchPlan plan_batches(const TokenLists& source, const TokenLists& target,
                       std::int64_t tokens_per_batch) {
  std::vector<std::int64_t> order(source.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return std::tuple(source.length(a), target.length(a), a) <
           std::tuple(source.length(b), target.length(b), b);
  });
  return cut(order, source, target, tokens_per_batch);
}

}  // namespace kette

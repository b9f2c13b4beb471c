#include "train/consistency.h"

#include "autograd/ops/ids.h"

namespace kette {
namespace {

void append_again(std::vector<std::int32_t>& ids) {
  const std::vector<std::int32_t> once = ids;
  ids.insert(ids.end(), once.begin(), once.end());
}

Segments twice(const Segments& segments) {
  std::vector<std::int64_t> lengths;
  for (int view = 0; view < 2; ++view) {
    for (std::int64_t i = 0; i < segments.count(); ++i) lengths.push_back(segments.length(i));
  }
  return Segments::from_lengths(lengths);
}

void cut_holes(std::vector<std::int32_t>& ids, std::int64_t begin, std::int64_t end, double share,
               Random& random) {
  for (std::int64_t i = begin; i < end; ++i) {
    if (random.uniform() < share) ids[i] = kNoEntry;
  }
}

}  // namespace

double ConsistencyOptions::alpha() const {
  if (weight > 0) return weight;
  return kind == ConsistencyKind::r_drop ? 5 : 3;
}

std::optional<TwoViews> ConsistencyOptions::views() const {
  switch (kind) {
    case ConsistencyKind::none:
      return {};
    case ConsistencyKind::r_drop:
      return TwoViews{.forward = alpha() / 2, .reverse = alpha() / 2, .second = 1};
    case ConsistencyKind::simcut:
      return TwoViews{.forward = alpha(), .reverse = 0, .second = 0};
  }
  fail("consistency: no such kind");
}

void ConsistencyOptions::check(double dropout) const {
  const bool differ = dropout > 0 || (kind == ConsistencyKind::simcut && cutoff > 0);
  KETTE_CHECK(
      kind == ConsistencyKind::none || differ, "consistency: expected ",
      kind == ConsistencyKind::simcut ? "a cutoff or a dropout above 0" : "a dropout above 0",
      " beside ", enum_name(kind), ", without which both readings are the same, given none");
}

Batch in_two_views(const Batch& batch, const ConsistencyOptions& options, Random& random) {
  Batch both = batch;
  for (auto* ids : {&both.source, &both.target_in, &both.target_out}) append_again(*ids);
  both.sentence_ids.insert(both.sentence_ids.end(), batch.sentence_ids.begin(),
                           batch.sentence_ids.end());
  both.source_segments = twice(batch.source_segments);
  both.target_segments = twice(batch.target_segments);
  if (options.kind == ConsistencyKind::simcut) {
    const Segments &source = both.source_segments, &target = both.target_segments;
    for (std::int64_t i = batch.source_segments.count(); i < source.count(); ++i) {
      cut_holes(both.source, source.begin(i) + options.source_tags, source.end(i) - 1,
                options.cutoff, random);
    }
    for (std::int64_t i = batch.target_segments.count(); i < target.count(); ++i) {
      cut_holes(both.target_in, target.begin(i) + 1, target.end(i), options.cutoff, random);
    }
  }
  return both;
}

}  // namespace kette

#include "nn/attention.h"

#include "autograd/ops/rotary.h"
#include "nn/probabilities.h"

namespace kette {
namespace {

/// Repeats the parts of a map that several computed heads share.
std::vector<RowCopies> repeated(const HeadShape& heads, std::vector<RowCopies> parts) {
  if (heads.value_multiple == 1) parts.clear();
  return parts;
}

}  // namespace

std::optional<Rotation> Rotation::of(const AttentionContext& sequences, const Tensor& table) {
  if (!table.defined()) return {};
  return Rotation{table, sequences.positions().to(table.device())};
}

MultiHeadSelfAttention::MultiHeadSelfAttention(const Scope& scope, std::int64_t layer_number,
                                               std::int64_t width, const HeadShape& head_shape,
                                               const AttentionPattern& who, double dropout,
                                               const MapOptions& maps, MakeMixer make_mixer)
    : path(scope.path()),
      query_key_value(scope / "query_key_value", width,
                      head_shape.query_width() + head_shape.query_width() / who.group +
                          head_shape.total_width() / who.group,
                      maps.reading(3)),
      mixer(make_mixer(scope, head_shape)),
      output(scope / "output", head_shape.total_width(), width, maps.writing()),
      layer(layer_number),
      heads(head_shape),
      pattern(who),
      dropout_rate(dropout) {
  const std::int64_t queries = heads.query_width(), times = heads.value_multiple;
  query_key_value.copies =
      repeated(heads, {{queries, times}, {queries, times}, {heads.total_width(), 1}});
}

Variable MultiHeadSelfAttention::operator()(const Variable& x, const AttentionContext& sequences,
                                            Run& run,
                                            const std::optional<Rotation>& rotation) const {
  Variable qkv = mixer->prepared(query_key_value(x, run), sequences, layer);
  if (rotation)
    qkv = rotary(qkv, rotation->positions, rotation->table, heads.total_width() + key_width());
  const AttentionOptions options{heads.computed(), pattern, run.mask(dropout_rate)};
  Variable all_heads = mixer->attend(qkv, sequences, layer, options);
  if (run.wants(path, points::probabilities)) {
    const AttentionInputs inputs = sequences.self_inputs(layer, qkv, options);
    all_heads = show(mixer->probabilities(inputs, options.heads), all_heads, inputs,
                     options.dropout, path, run);
  }
  return output(run.tap(path, points::heads, all_heads), run);
}

MultiHeadCrossAttention::MultiHeadCrossAttention(const Scope& scope, std::int64_t layer_number,
                                                 std::int64_t width, const HeadShape& head_shape,
                                                 double dropout, const MapOptions& maps)
    : path(scope.path()),
      query(scope / "query", width, head_shape.query_width(), maps.reading()),
      key_value(scope / "key_value", width, head_shape.query_width() + head_shape.total_width(),
                maps.reading(2)),
      output(scope / "output", head_shape.total_width(), width, maps.writing()),
      layer(layer_number),
      heads(head_shape),
      dropout_rate(dropout) {
  const RowCopies all{heads.query_width(), heads.value_multiple};
  query.copies = repeated(heads, {all});
  key_value.copies = repeated(heads, {all, {heads.total_width(), 1}});
}

Variable MultiHeadCrossAttention::operator()(const Variable& x, const AttentionContext& sequences,
                                             Run& run) const {
  const Variable queries = query(x, run);
  const AttentionOptions options{heads.computed(), Mask::none, run.mask(dropout_rate)};
  Variable all_heads = sequences.cross_attention(layer, queries, key_value, options, run);
  if (run.wants(path, points::probabilities)) {
    const AttentionInputs inputs = sequences.cross_inputs(layer, queries);
    all_heads = show(attention_probabilities(inputs, options.heads), all_heads, inputs,
                     options.dropout, path, run);
  }
  return output(run.tap(path, points::heads, all_heads), run);
}

}  // namespace kette

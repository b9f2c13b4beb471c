#include "nn/attention.h"

#include "autograd/ops/elementwise.h"
#include "autograd/ops/rotary.h"
#include "nn/probabilities.h"

namespace kette {
namespace {

/// The heads as attention made them, unless somebody who was shown their probabilities put others in
/// the place of those.
template <class Pairs>
Variable shown_probabilities(const Variable& heads, const std::string& path, const Run& run,
                             const AttentionOptions& options, const Pairs& pairs) {
  if (!run.wants(path, points::probabilities)) return heads;
  const QueriesAndKeys spelled_out = pairs();
  const Variable seen = attention_probabilities(spelled_out, options.heads);
  const Variable other = run.tap(path, points::probabilities, seen);
  if (other.is(seen)) return heads;
  return weighted_values(other, spelled_out, options.dropout);
}

/// Parts of a map that the shares of the values have in common come once for each of them.
std::vector<RowCopies> for_all_shares(const HeadShape& heads, std::vector<RowCopies> parts) {
  if (heads.value_shares == 1) parts.clear();
  return parts;
}

/// At 0 a key is made of both in equal parts.
Variable smear_of(const Scope& scope, std::int64_t heads, bool smeared_keys) {
  if (!smeared_keys) return {};
  return scope.parameter("smear", {heads}, Init::constant(0));
}

}  // namespace

std::optional<Rotation> Rotation::of(const Sequences& sequences, const Tensor& table) {
  if (!table.defined()) return {};
  return Rotation{table, sequences.positions().to(table.device())};
}

MultiHeadSelfAttention::MultiHeadSelfAttention(const Scope& scope, std::int64_t layer_number,
                                               std::int64_t width, const HeadShape& head_shape,
                                               const AttentionPattern& who, double dropout,
                                               const MapOptions& maps, bool smeared_keys)
    : path(scope.path()),
      query_key_value(scope / "query_key_value", width,
                      head_shape.query_width() + head_shape.query_width() / who.group +
                          head_shape.total_width() / who.group,
                      maps.reading(3)),
      smear(smear_of(scope, head_shape.count, smeared_keys)),
      output(scope / "output", head_shape.total_width(), width, maps.writing()),
      layer(layer_number),
      heads(head_shape),
      pattern(who),
      dropout_rate(dropout) {
  const std::int64_t queries = heads.query_width(), shares = heads.value_shares;
  query_key_value.copies =
      for_all_shares(heads, {{queries, shares}, {queries, shares}, {heads.total_width(), 1}});
}

Variable MultiHeadSelfAttention::operator()(const Variable& x, const Sequences& sequences, Run& run,
                                            const std::optional<Rotation>& rotation) const {
  Variable qkv = query_key_value(x, run);
  if (smears_keys()) qkv = sequences.smeared_keys(layer, qkv, sigmoid(smear));
  if (rotation)
    qkv = rotary(qkv, rotation->positions, rotation->table, heads.total_width() + key_width());
  const AttentionOptions options{heads.computed(), pattern, run.mask(dropout_rate)};
  const Variable all_heads =
      shown_probabilities(sequences.self_attention(layer, qkv, options), path, run, options,
                          [&] { return sequences.self_pairs(layer, qkv, options); });
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
  const RowCopies all{heads.query_width(), heads.value_shares};
  query.copies = for_all_shares(heads, {all});
  key_value.copies = for_all_shares(heads, {all, {heads.total_width(), 1}});
}

Variable MultiHeadCrossAttention::operator()(const Variable& x, const Sequences& sequences,
                                             Run& run) const {
  const Variable queries = query(x, run);
  const AttentionOptions options{heads.computed(), Mask::none, run.mask(dropout_rate)};
  const Variable all_heads =
      shown_probabilities(sequences.cross_attention(layer, queries, key_value, options, run), path,
                          run, options, [&] { return sequences.cross_pairs(layer, queries); });
  return output(run.tap(path, points::heads, all_heads), run);
}

}  // namespace kette

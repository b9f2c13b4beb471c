#include "nn/attention.h"

#include "nn/probabilities.h"

namespace kette {
namespace {

/// The heads as attention made them, unless somebody who was shown their probabilities put others in
/// the place of those.
template <class Pairs>
Variable shown_probabilities(const Variable& heads, const std::string& path, const Run& run,
                             const AttentionOptions& options, const Pairs& pairs) {
  if (!run.wants(path, "probabilities")) return heads;
  const QueriesAndKeys spelled_out = pairs();
  const Variable seen = attention_probabilities(spelled_out, options.heads);
  const Variable other = run.tap(path, "probabilities", seen);
  if (other.is(seen)) return heads;
  return weighted_values(other, spelled_out, options.dropout);
}

}  // namespace

MultiHeadSelfAttention::MultiHeadSelfAttention(const Scope& scope, std::int64_t layer_number,
                                               std::int64_t width, std::int64_t head_count,
                                               Mask kind, double dropout, const WeightInit& init)
    : path(scope.path()),
      query_key_value(scope / "query_key_value", width, 3 * width,
                      {.stacked = 3, .deviation = init.deviation}),
      output(scope / "output", width, width, {.deviation = init.output_deviation}),
      layer(layer_number),
      heads(head_count),
      mask(kind),
      dropout_rate(dropout) {}

Variable MultiHeadSelfAttention::operator()(const Variable& x, const Sequences& sequences, Run& run,
                                            const Rotation* rotation) const {
  Variable qkv = query_key_value(x, run);
  if (rotation) qkv = rotary(qkv, rotation->positions, rotation->table, 2 * x.value().width());
  const AttentionOptions options{heads, mask, run.mask(dropout_rate)};
  const Variable all_heads =
      shown_probabilities(sequences.self_attention(layer, qkv, options), path, run, options,
                          [&] { return sequences.self_pairs(layer, qkv, mask); });
  return output(run.tap(path, "heads", all_heads), run);
}

MultiHeadCrossAttention::MultiHeadCrossAttention(const Scope& scope, std::int64_t layer_number,
                                                 std::int64_t width, std::int64_t head_count,
                                                 double dropout, const WeightInit& init)
    : path(scope.path()),
      query(scope / "query", width, width, {.deviation = init.deviation}),
      key_value(scope / "key_value", width, 2 * width, {.stacked = 2, .deviation = init.deviation}),
      output(scope / "output", width, width, {.deviation = init.output_deviation}),
      layer(layer_number),
      heads(head_count),
      dropout_rate(dropout) {}

Variable MultiHeadCrossAttention::operator()(const Variable& x, const Sequences& sequences,
                                             Run& run) const {
  const Variable queries = query(x, run);
  const AttentionOptions options{heads, Mask::none, run.mask(dropout_rate)};
  const Variable all_heads = shown_probabilities(
      sequences.cross_attention(layer, queries, key_value, options, run), path, run, options,
      [&] { return sequences.cross_pairs(layer, queries, key_value); });
  return output(run.tap(path, "heads", all_heads), run);
}

}  // namespace kette

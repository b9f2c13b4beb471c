#include "nn/cached_sequences.h"

#include <cmath>

#include "autograd/ops/embedding.h"
#include "autograd/ops/shaping.h"
#include "tensor/kernels.h"
#include "tensor/observer.h"

namespace kette {
namespace {

/// The queries are the first columns of x. Result: [rows, width].
Tensor attend(const Tensor& x, const AttentionOptions& options, const CachePlaces& places,
              const Tensor& layer) {
  const std::int64_t width = layer.width() / 2 * options.pattern.group;
  const Tensor output = Tensor::empty({x.rows(), width}, DType::f32, x.device());
  const double scale = 1 / std::sqrt(static_cast<double>(width / options.heads));
  const CachedAttentionArgs args{
      {x.data<float>(), x.width(), output, options.heads, scale, options.pattern}, layer, places};
  const Work work("cached_attention", {&x}, {&output});  // how much of the cache the places say
  on(x.device(), [&](auto exec) { kernels::cached_attention(exec, args); });
  return output;
}

/// The inputs of each row as a sequence of its own, with all keys and values up to its position.
AttentionInputs spelled_out(const Tensor& x, const AttentionPattern& pattern,
                            const CachePlaces& places, const Tensor& layer) {
  const std::int64_t width = layer.width() / 2 * pattern.group;
  const auto table = places.table.values<std::int32_t>(),
             lines = places.lines.values<std::int32_t>(),
             positions = places.positions.values<std::int32_t>();
  std::vector<std::int32_t> slots;
  std::vector<std::int64_t> lengths;
  for (std::size_t row = 0; row < lines.size(); ++row) {
    const auto first = table.begin() + lines[row] * places.table.width();
    const std::int32_t own = positions[row];
    for (std::int64_t position = 0; position <= own; ++position) {
      // What it does not see may have no slot any more. It is masked, so any slot will do.
      slots.push_back(first[position < pattern.first_visible(own) ? own : position]);
    }
    lengths.push_back(own + 1);
  }
  const Variable queries = columns(x, 0, width);
  const Variable keys_values =
      embedding(layer, Tensor::from(slots, layer.device())).value().to(DType::f32);
  return {queries, keys_values,
          Segments::from_lengths(std::vector<std::int64_t>(lengths.size(), 1)),
          Segments::from_lengths(lengths), pattern};
}

}  // namespace

Variable CachedSequences::self_attention(std::int64_t layer, const Variable& qkv,
                                         const AttentionOptions& options) const {
  const Tensor cache = rows_.past->layer(layer);
  write_to_cache(qkv.value(), options.query_width(qkv.value().width()), rows_.places, cache);
  return attend(qkv.value(), options, rows_.places, cache);
}

Variable CachedSequences::cross_attention(std::int64_t layer, const Variable& query, const Linear&,
                                          const AttentionOptions& options, const Run&) const {
  return attend(query.value(), options, memory_.places, memory_.past->layer(layer));
}

AttentionInputs CachedSequences::self_inputs(std::int64_t layer, const Variable& qkv,
                                             const AttentionOptions& options) const {
  KETTE_CHECK(!rows_.past->keeps_states(),
              "probabilities: expected a pass over whole texts, given one that goes on from what "
              "decoding keeps, for a state has no keys of the past, only their sum");
  return spelled_out(qkv.value(), options.pattern, rows_.places, rows_.past->layer(layer));
}

AttentionInputs CachedSequences::cross_inputs(std::int64_t layer, const Variable& query) const {
  return spelled_out(query.value(), Mask::none, memory_.places, memory_.past->layer(layer));
}

void write_to_cache(const Tensor& x, std::int64_t first_column, const CachePlaces& places,
                    const Tensor& layer) {
  const Work work("write_to_cache", {&x});
  const Tensor kept = x.to(layer.dtype());
  visit_float(layer.dtype(), "write_to_cache", [&]<class T>(T) {
    const rows::WriteToCache<T> body{kept.data<T>() + first_column,
                                     kept.width(),
                                     places.table.data<std::int32_t>(),
                                     places.lines.data<std::int32_t>(),
                                     places.positions.data<std::int32_t>(),
                                     places.table.width(),
                                     layer.data<T>(),
                                     layer.width()};
    on(x.device(), [&](auto exec) { kernels::for_rows(exec, body, x.rows()); });
  });
}

}  // namespace kette

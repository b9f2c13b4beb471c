#include "nn/cached_sequences.h"

#include <cmath>

#include "autograd/ops/embedding.h"
#include "autograd/ops/shaping.h"
#include "autograd/ops/smear.h"
#include "tensor/kernels.h"
#include "tensor/observer.h"

namespace kette {
namespace {

/// The queries are the first columns of x. [rows, width]
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

/// Likewise of linear attention, whose cache keeps states.
Tensor take_steps(const Tensor& qkv, const AttentionOptions& options, const CachePlaces& places,
                  const Tensor& states) {
  const Tensor output =
      Tensor::empty({qkv.rows(), options.query_width(qkv.width())}, DType::f32, qkv.device());
  const LinearStepArgs args{qkv, states, output, options.heads, options.pattern, places};
  const Work work("linear_attention_step", {&qkv}, {&output});
  on(qkv.device(), [&](auto exec) { kernels::linear_attention_step(exec, args); });
  return output;
}

/// Each row by itself, with all keys and values up to its own.
QueriesAndKeys spelled_out(const Tensor& x, const AttentionPattern& pattern,
                           const CachePlaces& places, const Tensor& layer) {
  const std::int64_t width = layer.width() / 2 * pattern.group;
  const auto table = places.table.values<std::int32_t>(),
             lines = places.lines.values<std::int32_t>(),
             positions = places.positions.values<std::int32_t>();
  std::vector<std::int32_t> slots;
  std::vector<std::int64_t> lengths;
  for (std::size_t row = 0; row < lines.size(); ++row) {
    const auto first = table.begin() + lines[row] * places.table.width();
    slots.insert(slots.end(), first, first + positions[row] + 1);
    lengths.push_back(positions[row] + 1);
  }
  const Variable queries = columns(x, 0, width);
  const Variable keys_values =
      embedding(layer, Tensor::from(slots, layer.device())).value().to(DType::f32);
  return {queries, keys_values,
          Segments::from_lengths(std::vector<std::int64_t>(lengths.size(), 1)),
          Segments::from_lengths(lengths), pattern};
}

}  // namespace

/// All keys of the pass are written before any is mixed with the one before it.
Variable CachedSequences::smeared_keys(std::int64_t layer, const Variable& qkv,
                                       const Variable& gates) const {
  const Tensor& x = qkv.value();
  check_smear(x, gates.value(), places_.positions);
  const std::int64_t width = x.width() / 3;
  const Tensor past = past_->unsmeared_keys(layer);
  write_to_cache(x, width, places_, past);
  const Tensor y = Tensor::empty(x.shape(), x.dtype(), x.device());
  const rows::Smear<float> body{x.data<float>(),
                                gates.value().data<float>(),
                                places_.positions.data<std::int32_t>(),
                                y.data<float>(),
                                width,
                                width / gates.value().elements(),
                                past.data<float>(),
                                places_.table.data<std::int32_t>(),
                                places_.lines.data<std::int32_t>(),
                                places_.table.width()};
  on(x.device(), [&](auto exec) { kernels::for_rows(exec, body, x.rows()); });
  return y;
}

Variable CachedSequences::self_attention(std::int64_t layer, const Variable& qkv,
                                         const AttentionOptions& options) const {
  const Tensor cache = past_->layer(layer);
  if (options.pattern.is_linear()) return take_steps(qkv.value(), options, places_, cache);
  write_to_cache(qkv.value(), options.query_width(qkv.value().width()), places_, cache);
  return attend(qkv.value(), options, places_, cache);
}

Variable CachedSequences::cross_attention(std::int64_t layer, const Variable& query, const Linear&,
                                          const AttentionOptions& options, const Run&) const {
  return attend(query.value(), options, memory_places_, memory_->layer(layer));
}

QueriesAndKeys CachedSequences::self_pairs(std::int64_t layer, const Variable& qkv,
                                           const AttentionOptions& options) const {
  KETTE_CHECK(!options.pattern.is_linear(),
              "probabilities: expected a pass over whole texts, given one that goes on from what "
              "decoding keeps, for linear attention keeps no keys of the past, only their sum");
  return spelled_out(qkv.value(), options.pattern, places_, past_->layer(layer));
}

QueriesAndKeys CachedSequences::cross_pairs(std::int64_t layer, const Variable& query) const {
  return spelled_out(query.value(), Mask::none, memory_places_, memory_->layer(layer));
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

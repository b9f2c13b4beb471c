#include "nn/probabilities.h"

#include <cmath>
#include <limits>
#include <optional>

#include "autograd/ops/dropout.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/shaping.h"
#include "autograd/ops/softmax.h"

namespace kette {
namespace {

/// x: [rows, heads * w] -> x^T head by head, [heads, w, rows].
Variable by_head(const Variable& x, std::int64_t heads) {
  const std::int64_t rows = x.value().rows(), width = x.value().width();
  return reshape(transpose(x), {heads, width / heads, rows});
}

/// Keys and values of a sequence, with rows of zeros up to `length`.
Variable padded(const Variable& x, std::int64_t length) {
  const Tensor& value = x.value();
  if (value.rows() == length) return x;
  return concatenate(
      x, Tensor::zeros({length - value.rows(), value.width()}, value.dtype(), value.device()));
}

/// Added to the scores: 0 or ALiBi's bias where a query attends to a key, -infinity elsewhere.
/// [heads or, if all are equal, 1; queries; length]
Tensor bias(std::int64_t heads, std::int64_t queries, std::int64_t keys, std::int64_t length,
            const AttentionPattern& pattern, const Tensor& like) {
  std::vector<double> values;
  const std::int64_t kinds = pattern.alibi ? heads : 1;
  for (std::int64_t head = 0; head < kinds; ++head) {
    const double slope = pattern.slope(head, heads);
    for (std::int64_t q = 0; q < queries; ++q) {
      const std::int64_t own = q + keys - queries,
                         end = pattern.mask == Mask::causal ? own + 1 : keys;
      for (std::int64_t k = 0; k < length; ++k) {
        const bool sees = k >= pattern.first_visible(own) && k < end;
        values.push_back(sees ? -slope * static_cast<double>(own - k)
                              : -std::numeric_limits<double>::infinity());
      }
    }
  }
  return Tensor::from(values, {kinds, queries, length}).to(like.dtype()).to(like.device());
}

/// x: [key heads * w, length] -> one matrix for each query head, [heads, w, length].
Variable by_query_head(const Variable& x, std::int64_t heads, std::int64_t group) {
  const std::int64_t length = x.value().width(), w = x.value().rows() / (heads / group);
  if (group == 1) return reshape(x, {heads, w, length});
  const Tensor one_each =
      Tensor::full({1, group, 1, 1}, 1, x.value().dtype()).to(x.value().device());
  return reshape(reshape(x, {heads / group, 1, w, length}) * one_each, {heads, w, length});
}

/// Calls function(queries, keys and values padded to the longest, index) for each sequence, and
/// concatenates the results.
template <class Function>
Variable for_sequences(const AttentionInputs& inputs, const Variable& rows,
                       const Function& function) {
  std::optional<Variable> joined;
  for (std::int64_t i = 0; i < inputs.queries.count(); ++i) {
    if (inputs.queries.length(i) == 0) continue;
    const Variable result =
        function(slice(rows, inputs.queries.begin(i), inputs.queries.end(i)),
                 padded(slice(inputs.key_value, inputs.keys.begin(i), inputs.keys.end(i)),
                        inputs.keys.longest()),
                 i);
    joined = joined ? concatenate(*joined, result) : result;
  }
  KETTE_CHECK(joined.has_value(), "attention: expected at least one query, given none");
  return *joined;
}

/// [rows, a, b] -> [a, rows, b]
Variable outer_axes_exchanged(const Variable& x) {
  const Shape& shape = x.shape();
  const std::int64_t rows = shape[0], a = shape[1], b = shape[2];
  return transpose(reshape(transpose(reshape(x, {rows, a * b})), {a, b, rows}));
}

/// Attention numbers the elements of its dropout masks by [heads, rows, keys].
Variable dropped(const Variable& probabilities, const DropoutMask& mask) {
  if (!mask.active()) return probabilities;
  const Variable by_heads = outer_axes_exchanged(probabilities);
  return outer_axes_exchanged(dropout(by_heads, mask));
}

}  // namespace

Variable softmax_of_scores(const Variable& queries, const Variable& keys, const Tensor& bias) {
  const double scale = 1 / std::sqrt(static_cast<double>(queries.shape()[1]));
  return softmax(affine(matmul(queries, keys, true), scale, 0) + bias);
}

Variable attention_probabilities(const AttentionInputs& inputs, std::int64_t heads, Weigh weigh) {
  const std::int64_t width = inputs.query.value().width(), length = inputs.keys.longest(),
                     group = inputs.pattern.group;
  return for_sequences(
      inputs, inputs.query, [&](const Variable& queries, const Variable& keys_values, auto i) {
        const std::int64_t rows = queries.value().rows();
        const Variable keys =
            by_query_head(slice(transpose(keys_values), 0, width / group), heads, group);
        const Variable all = weigh(
            by_head(queries, heads), keys,
            bias(heads, rows, inputs.keys.length(i), length, inputs.pattern, queries.value()));
        // [heads, rows, length] -> [rows, heads, length]
        const Variable turned = reshape(transpose(all), {heads * length, rows});
        return reshape(transpose(turned), {rows, heads, length});
      });
}

Variable weighted_values(const Variable& all, const AttentionInputs& inputs,
                         const DropoutMask& mask) {
  const Variable probabilities = dropped(all, mask);
  const Shape& shape = probabilities.shape();
  const std::int64_t heads = shape[1], length = shape[2], width = inputs.query.value().width(),
                     group = inputs.pattern.group, key_width = width / group;
  return for_sequences(
      inputs, probabilities, [&](const Variable& given, const Variable& keys_values, auto) {
        const std::int64_t rows = given.shape()[0];
        const Variable weights =
            reshape(transpose(reshape(given, {rows, heads * length})), {heads, length, rows});
        const Variable values =
            by_query_head(slice(transpose(keys_values), key_width, 2 * key_width), heads, group);
        return transpose(reshape(matmul(values, weights), {width, rows}));
      });
}

Variable show(const Variable& probabilities, const Variable& heads, const AttentionInputs& inputs,
              const DropoutMask& mask, const std::string& path, const Run& run) {
  const Variable other = run.tap(path, points::probabilities, probabilities);
  return other.is(probabilities) ? heads : weighted_values(other, inputs, mask);
}

}  // namespace kette

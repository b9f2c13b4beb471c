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

/// What is added to scores: 0, or ALiBi's, where a query sees a key, -infinity elsewhere. [heads, or 1
/// where they are alike, queries, length]
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

/// x: [key heads * w, length] -> what each head of the queries reads, [heads, w, length].
Variable by_query_head(const Variable& x, std::int64_t heads, std::int64_t group) {
  const std::int64_t length = x.value().width(), w = x.value().rows() / (heads / group);
  if (group == 1) return reshape(x, {heads, w, length});
  const Tensor one_each =
      Tensor::full({1, group, 1, 1}, 1, x.value().dtype()).to(x.value().device());
  return reshape(reshape(x, {heads / group, 1, w, length}) * one_each, {heads, w, length});
}

/// Calls function(queries, keys and values padded to the longest, the sequence's number) for each
/// sequence and joins the results.
template <class Function>
Variable for_sequences(const QueriesAndKeys& pairs, const Variable& rows,
                       const Function& function) {
  std::optional<Variable> joined;
  for (std::int64_t i = 0; i < pairs.queries.count(); ++i) {
    if (pairs.queries.length(i) == 0) continue;
    const Variable result =
        function(slice(rows, pairs.queries.begin(i), pairs.queries.end(i)),
                 padded(slice(pairs.key_value, pairs.keys.begin(i), pairs.keys.end(i)),
                        pairs.keys.longest()),
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

/// The masks of attention are numbered by rows of [heads, rows, keys].
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

Variable attention_probabilities(const QueriesAndKeys& pairs, std::int64_t heads, Weigh weigh) {
  const std::int64_t width = pairs.query.value().width(), length = pairs.keys.longest(),
                     group = pairs.pattern.group;
  return for_sequences(
      pairs, pairs.query, [&](const Variable& queries, const Variable& keys_values, auto i) {
        const std::int64_t rows = queries.value().rows();
        const Variable keys =
            by_query_head(slice(transpose(keys_values), 0, width / group), heads, group);
        const Variable all =
            weigh(by_head(queries, heads), keys,
                  bias(heads, rows, pairs.keys.length(i), length, pairs.pattern, queries.value()));
        // [heads, rows, length] -> [rows, heads, length]
        const Variable turned = reshape(transpose(all), {heads * length, rows});
        return reshape(transpose(turned), {rows, heads, length});
      });
}

Variable weighted_values(const Variable& all, const QueriesAndKeys& pairs,
                         const DropoutMask& mask) {
  const Variable probabilities = dropped(all, mask);
  const Shape& shape = probabilities.shape();
  const std::int64_t heads = shape[1], length = shape[2], width = pairs.query.value().width(),
                     group = pairs.pattern.group, key_width = width / group;
  return for_sequences(
      pairs, probabilities, [&](const Variable& given, const Variable& keys_values, auto) {
        const std::int64_t rows = given.shape()[0];
        const Variable weights =
            reshape(transpose(reshape(given, {rows, heads * length})), {heads, length, rows});
        const Variable values =
            by_query_head(slice(transpose(keys_values), key_width, 2 * key_width), heads, group);
        return transpose(reshape(matmul(values, weights), {width, rows}));
      });
}

Variable show(const Variable& probabilities, const Variable& heads, const QueriesAndKeys& pairs,
              const DropoutMask& mask, const std::string& path, const Run& run) {
  const Variable other = run.tap(path, points::probabilities, probabilities);
  return other.is(probabilities) ? heads : weighted_values(other, pairs, mask);
}

}  // namespace kette

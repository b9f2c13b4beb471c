#include "nn/probabilities.h"

#include <cmath>
#include <limits>
#include <optional>

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

/// What is added to scores: 0 where a query sees a key, -infinity elsewhere. [queries, length]
Tensor visibility(std::int64_t queries, std::int64_t keys, std::int64_t length, Mask mask,
                  const Tensor& like) {
  std::vector<double> values;
  for (std::int64_t q = 0; q < queries; ++q) {
    const std::int64_t seen = mask == Mask::causal ? q + 1 : keys;
    for (std::int64_t k = 0; k < length; ++k) {
      values.push_back(k < seen ? 0 : -std::numeric_limits<double>::infinity());
    }
  }
  return Tensor::from(values, {queries, length}).to(like.dtype()).to(like.device());
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

Variable attention_probabilities(const QueriesAndKeys& pairs, std::int64_t heads) {
  const std::int64_t width = pairs.query.value().width(), length = pairs.keys.longest();
  const double scale = 1 / std::sqrt(static_cast<double>(width / heads));
  return for_sequences(
      pairs, pairs.query, [&](const Variable& queries, const Variable& keys_values, auto i) {
        const std::int64_t rows = queries.value().rows();
        const Variable keys =
            reshape(slice(transpose(keys_values), 0, width), {heads, width / heads, length});
        const Variable scores = affine(matmul(by_head(queries, heads), keys, true), scale, 0);
        const Variable all = softmax(
            scores + visibility(rows, pairs.keys.length(i), length, pairs.mask, scores.value()));
        // [heads, rows, length] -> [rows, heads, length]
        const Variable turned = reshape(transpose(all), {heads * length, rows});
        return reshape(transpose(turned), {rows, heads, length});
      });
}

Variable weighted_values(const Variable& all, const QueriesAndKeys& pairs,
                         const DropoutMask& mask) {
  const Variable probabilities = dropped(all, mask);
  const Shape& shape = probabilities.shape();
  const std::int64_t heads = shape[1], length = shape[2], width = pairs.query.value().width();
  return for_sequences(
      pairs, probabilities, [&](const Variable& given, const Variable& keys_values, auto) {
        const std::int64_t rows = given.shape()[0];
        const Variable weights =
            reshape(transpose(reshape(given, {rows, heads * length})), {heads, length, rows});
        const Variable values = reshape(slice(transpose(keys_values), width, 2 * width),
                                        {heads, width / heads, length});
        return transpose(reshape(matmul(values, weights), {width, rows}));
      });
}

}  // namespace kette

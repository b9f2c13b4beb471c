// The likeliest next tokens of the rows of a search. A beam of b has places for b continuations, and
// any row might take all of them, but few do: asking every row for b would make a step cost b^2. So
// all rows are asked for few, and those that might hide one of the best for more.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "decode/beam.h"
#include "decode/packed_transformer.h"

namespace kette {

class NextTokens {
 public:
  /// states: [rows, width] of the decoder. Asks for `count` tokens of each row, none of them banned
  /// (i32, on the model's device), and for the log-probability of `end`.
  NextTokens(const PackedTransformer& model, const Tensor& states, std::int64_t count,
             Tensor banned, std::int32_t end);

  std::span<const Continuations> rows(std::int64_t begin, std::size_t count) const {
    return std::span(rows_).subspan(static_cast<std::size_t>(begin), count);
  }
  /// Asks these rows, rising, again for `count` tokens each. What comes for a row is what would have
  /// come at once.
  void ask_again(const std::vector<std::int64_t>& rows, std::int64_t count);

 private:
  Predictions predict(const Tensor& states, std::int64_t count) const;
  void take(Predictions answer, const std::vector<std::int64_t>& rows);

  const PackedTransformer& model_;
  Tensor states_;
  Tensor banned_;
  std::int32_t end_;
  std::deque<Predictions> answers_;  // what the rows point into
  std::vector<Continuations> rows_;
};

}  // namespace kette

// The likeliest next tokens of the rows of a search. A beam of b has places for b continuations, and
// any row might take all of them, but few do: asking every row for b would make a step cost b^2. So
// all rows are asked for few, and those that might hide one of the best for more.
#pragma once

#include <array>
#include <deque>
#include <span>
#include <vector>

#include "decode/constraint.h"
#include "decode/policy.h"
#include "decode/predictions.h"
#include "decode/shortlist.h"

namespace kette {

/// What is asked of the model for a row.
struct RowQuestion {
  std::int64_t likeliest = 0;  ///< see Question
  std::int32_t target = -1;
  std::int64_t mask = 0;  ///< of the masks, for the likeliest
  Constraint::Choice choice{};
  const Shortlist* list =
      nullptr;  ///< if all is asked of its tokens alone; rows of a text have the same
  std::int64_t list_mask = 0;  ///< then of the masks of the list
};

class NextTokens {
 public:
  /// states: [rows, width], which `output` is of. masks: words, see TokenMasks; undefined: all tokens.
  NextTokens(const Linear& output, const Tensor& states, Tensor masks,
             std::vector<RowQuestion> questions);

  std::span<const Continuations> rows(std::int64_t begin, std::int64_t count) const {
    return std::span(rows_).subspan(static_cast<std::size_t>(begin),
                                    static_cast<std::size_t>(count));
  }
  /// Asks these rows, rising, again for `count` tokens each. What comes for a row is what would have
  /// come at once.
  void ask_again(const std::vector<std::int64_t>& rows, std::int64_t count);

 private:
  /// A token that is the only one, and that there are no more.
  struct Forced {
    std::array<float, 2> values;
    std::array<std::int32_t, 2> tokens;
  };
  void ask(const Tensor& states, std::span<const std::int64_t> rows, std::int64_t count);
  /// Rows of one list, or of none.
  void ask(const Tensor& states, std::span<const std::int64_t> rows, std::int64_t count,
           const Shortlist* list);
  Continuations answer(const Continuations& offered, const RowQuestion& question);

  const Linear& output_;
  Tensor states_, masks_;
  std::vector<RowQuestion> questions_;
  std::deque<Predictions> answers_;  // what the rows point into
  std::deque<Forced> forced_;
  std::vector<Continuations> rows_;
};

}  // namespace kette

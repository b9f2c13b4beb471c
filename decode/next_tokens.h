// The likeliest next tokens of the rows of a search. A beam of b takes b continuations, and all
// might come from one row. But to ask every row for b tokens costs b^2 a step, and few rows need so
// many. So every row is first asked for a few tokens. Only rows that may hide one of the best are
// asked for more.
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

/// What the model is asked about the next token of a row.
struct RowQuestion {
  std::int64_t likeliest = 0;  ///< as Question::likeliest
  std::int32_t target = -1;
  std::int64_t mask = 0;  ///< index of the mask of the likeliest tokens
  Constraint::Choice choice{};
  /// If not null: consider only its tokens. Rows of one text share it.
  const Shortlist* list = nullptr;
  std::int64_t list_mask = 0;  ///< index of the mask in the shortlist's masks
};

class NextTokens {
 public:
  /// states: [rows, width]. output: their projection to logits. masks: words, see TokenMasks;
  /// undefined: all tokens.
  NextTokens(const Linear& output, const Tensor& states, Tensor masks,
             std::vector<RowQuestion> questions);

  std::span<const Continuations> rows(std::int64_t begin, std::int64_t count) const {
    return std::span(rows_).subspan(static_cast<std::size_t>(begin),
                                    static_cast<std::size_t>(count));
  }
  /// Asks rows, ascending, again for `count` tokens each. A row gets the same answers as if it had
  /// been asked for `count` at once.
  void ask_again(const std::vector<std::int64_t>& rows, std::int64_t count);

 private:
  /// A forced token, and -1 as the end of the list.
  struct Forced {
    std::array<float, 2> values;
    std::array<std::int32_t, 2> tokens;
  };
  void ask(const Tensor& states, std::span<const std::int64_t> rows, std::int64_t count);
  /// For rows that share one shortlist, or have none.
  void ask(const Tensor& states, std::span<const std::int64_t> rows, std::int64_t count,
           const Shortlist* list);
  Continuations answer(const Continuations& offered, const RowQuestion& question);

  const Linear& output_;
  Tensor states_, masks_;
  std::vector<RowQuestion> questions_;
  std::deque<Predictions> answers_;  // storage of rows_
  std::deque<Forced> forced_;
  std::vector<Continuations> rows_;
};

}  // namespace kette

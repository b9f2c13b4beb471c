// The likeliest next tokens of the rows of a search. A beam of b has places for b continuations, and
// any row might take all of them, but few do: asking every row for b would make a step cost b^2. So
// all rows are asked for few, and those that might hide one of the best for more.
#pragma once

#include <array>
#include <deque>
#include <span>
#include <vector>

#include "data/tokenizers/special_tokens.h"
#include "decode/beam.h"
#include "decode/constraint.h"
#include "decode/predictions.h"
#include "decode/shortlist.h"

namespace kette {

/// What a search may choose from.
struct SearchVocabulary {
  std::int32_t end = -1;             ///< ends a text; -1: texts end at their longest alone
  std::vector<std::int32_t> banned;  ///< never to be chosen
  const Constraint* constraint = nullptr;

  /// Of a translation model.
  static SearchVocabulary of(const SpecialTokens& special, bool allow_unknown);
  /// Masks without the banned tokens, of `tokens` tokens in all: the first of all others, then the
  /// constraint's. with_end: whether the end mark is in them.
  std::vector<std::vector<bool>> allowed(std::int64_t tokens, bool with_end) const;
  /// Words of those.
  Tensor masks(std::int64_t tokens, bool with_end, Device device) const {
    return TokenMasks::pack(allowed(tokens, with_end), device);
  }
};

class NextTokens {
 public:
  /// states: [rows, width], which `output` is of. masks: the vocabulary's. choices: of each row, or none.
  /// lists: of each row, null where all tokens may come; those of a text are the same.
  /// Asks for `count` tokens of each row and for the log-probability of the end mark.
  NextTokens(const Linear& output, const Tensor& states, std::int64_t count,
             const SearchVocabulary& vocabulary, Tensor masks,
             std::vector<Constraint::Choice> choices, std::vector<const Shortlist*> lists);

  std::span<const Continuations> rows(std::int64_t begin, std::size_t count) const {
    return std::span(rows_).subspan(static_cast<std::size_t>(begin), count);
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
  Continuations chosen(const Continuations& offered, const Constraint::Choice& choice);

  const Linear& output_;
  Tensor states_;
  std::int32_t end_;
  Tensor masks_;
  std::vector<Constraint::Choice> choices_;
  std::vector<const Shortlist*> lists_;
  std::deque<Predictions> answers_;  // what the rows point into
  std::deque<Forced> forced_;
  std::vector<Continuations> rows_;
};

}  // namespace kette

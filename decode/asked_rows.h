// The rows of a step, of texts with policies of any kind: what each is given and wants to know, and what the model
// answers.
#pragma once

#include <memory>
#include <vector>

#include "decode/next_tokens.h"
#include "nn/layers.h"

namespace kette {

class AskedRows {
 public:
  std::int64_t count() const { return std::ssize(rows_); }
  /// Row `row` of a state, which rise, is given a token.
  void add(std::int64_t row, std::int32_t token, const Question& wanted,
           const RowQuestion& question);

  const std::vector<std::int32_t>& tokens() const { return tokens_; }
  const std::vector<std::int64_t>& rows() const { return rows_; }

  /// states: that the rows came to, which output is of. masks: words, see TokenMasks.
  /// tap: is shown the logits that tokens are drawn from.
  void answer(const Linear& output, const Tensor& states, const Tensor& masks, Tap* tap);
  /// Lets a policy choose for its rows, the first of which is added row `first`. An Error where logits were not finite.
  Policy::Chosen choose(Policy& policy, std::int64_t first);

 private:
  /// Neighbours that are all drawn, or not.
  struct Part {
    std::int64_t begin, end;
    bool is_drawn;
    std::unique_ptr<NextTokens> next{};
    std::vector<std::int32_t> drawn{};  // as sample() has it
  };
  void draw(Part& part, const Tensor& logits, const Tensor& masks) const;

  std::vector<std::int32_t> tokens_;
  std::vector<std::int64_t> rows_;
  std::vector<Question> wanted_;
  std::vector<RowQuestion> questions_;
  std::vector<Part> parts_;
};

}  // namespace kette

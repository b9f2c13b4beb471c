// The rows of one step, of texts with any policies: the token that each row reads, the question
// about its next token, and the model's answer.
#pragma once

#include <memory>
#include <vector>

#include "decode/next_tokens.h"
#include "nn/layers.h"

namespace kette {

class AskedRows {
 public:
  std::int64_t count() const { return std::ssize(rows_); }
  /// Adds row `row` of a state, which reads `token`. Rows must be added in ascending order.
  void add(std::int64_t row, std::int32_t token, const Question& wanted,
           const RowQuestion& question);

  const std::vector<std::int32_t>& tokens() const { return tokens_; }
  const std::vector<std::int64_t>& rows() const { return rows_; }

  /// states: [rows, width] of the added rows. output: their projection to logits. masks: words, see
  /// TokenMasks. tap: sees the logits of sampled rows.
  void answer(const Linear& output, const Tensor& states, const Tensor& masks, Tap* tap);
  /// Calls policy.choose() with the answers for its rows. `first`: the number of added rows before
  /// them. An Error if logits were not finite.
  Policy::Chosen choose(Policy& policy, std::int64_t first);

 private:
  /// Adjacent rows that are all sampled, or all not; and that are all scored, or all not.
  struct Part {
    std::int64_t begin, end;
    bool is_drawn, scores_draws;
    std::unique_ptr<NextTokens> next{};
    std::vector<std::int32_t> drawn{};       // the result of sample()
    std::vector<float> log_probabilities{};  // of the sampled tokens
  };
  void draw(Part& part, const Linear& output, const Tensor& states, const Tensor& masks,
            Tap* tap) const;

  std::vector<std::int32_t> tokens_;
  std::vector<std::int64_t> rows_;
  std::vector<Question> wanted_;
  std::vector<RowQuestion> questions_;
  std::vector<Part> parts_;
};

}  // namespace kette

// Scores a given text: the log-probability of each token. Uses the kernels of beam search, so a
// translation that a search found gets the same score, bit for bit.
#pragma once

#include "decode/policy.h"

namespace kette {

class ForcedText final : public Policy {
 public:
  /// end: the end mark, which is scored after the tokens; -1: none.
  explicit ForcedText(std::vector<std::int32_t> tokens, std::int32_t end);

  std::int64_t rows() const override { return seen_ < std::ssize(tokens_) ? 1 : 0; }
  std::int64_t max_rows() const override { return 1; }
  std::int64_t max_tokens() const override { return std::ssize(tokens_); }
  std::span<const std::int32_t> tokens(std::int64_t) const override {
    return std::span(tokens_).first(static_cast<std::size_t>(seen_));
  }
  Question question(std::int64_t) const override { return {.target = tokens_[seen_]}; }
  bool takes_constraints() const override { return false; }
  Chosen choose(std::span<const Continuations> answers) override;
  /// The text, with Hypothesis::token_log_probabilities.
  std::vector<Hypothesis> results() override;

 private:
  std::vector<std::int32_t> tokens_;  // with the end mark
  bool has_end_;
  std::int64_t seen_ = 0;
  Hypothesis result_;
};

}  // namespace kette

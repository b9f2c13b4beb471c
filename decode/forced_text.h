// A text that is given: how likely is each of its tokens? By the same kernels as a search, so the score of what a search
// found is the search's own, bit for bit.
#pragma once

#include "decode/policy.h"

namespace kette {

class ForcedText final : public Policy {
 public:
  /// end: the mark behind the tokens, which is scored, too; -1: there is none.
  explicit ForcedText(std::vector<std::int32_t> tokens, std::int32_t end);

  std::int64_t rows() const override { return seen_ < std::ssize(tokens_) ? 1 : 0; }
  std::int64_t most_rows() const override { return 1; }
  std::int64_t most_tokens() const override { return std::ssize(tokens_); }
  std::span<const std::int32_t> tokens(std::int64_t) const override {
    return std::span(tokens_).first(static_cast<std::size_t>(seen_));
  }
  Question question(std::int64_t) const override { return {.target = tokens_[seen_]}; }
  bool takes_constraints() const override { return false; }
  Chosen choose(std::span<const Continuations> answers) override;
  /// The one text, with Hypothesis::token_log_probabilities.
  std::vector<Hypothesis> results() override;

 private:
  std::vector<std::int32_t> tokens_;  // the end mark among them
  bool has_end_;
  std::int64_t seen_ = 0;
  Hypothesis result_;
};

}  // namespace kette

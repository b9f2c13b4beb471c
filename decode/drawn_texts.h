// Texts drawn token by token from what a model predicts (decode/sampling.h), several of one prompt. What is drawn
// depends on the seed, the text's number, which copy it is and the place in the text alone: fewer copies are the first of
// more, and a text is the same alone or in company.
#pragma once

#include <functional>

#include "decode/policy.h"

namespace kette {

/// Called with each token as soon as it is there; not with the end mark. Returns whether the copy goes on.
using OnToken = std::function<bool(std::int64_t copy, std::int32_t token)>;

class DrawnTexts final : public Policy {
 public:
  struct Options {
    SamplingOptions sampling;
    std::int64_t copies = 1;
    std::int64_t most = 0;        ///< tokens of each
    std::int32_t end = -1;        ///< ends a text; -1: texts end with `most` alone
    std::int64_t number = 0;      ///< of the text, for the draws
    std::int64_t first_copy = 0;  ///< likewise
  };
  /// Throws an Error that names the option that makes no sense.
  explicit DrawnTexts(const Options& options, OnToken on_token = {});

  std::int64_t rows() const override { return std::ssize(live_); }
  std::int64_t most_rows() const override { return options_.copies; }
  std::int64_t most_tokens() const override { return options_.most; }
  std::span<const std::int32_t> tokens(std::int64_t row) const override {
    return texts_[live_[row]].tokens;
  }
  Question question(std::int64_t row) const override;
  bool takes_constraints() const override { return false; }
  Chosen choose(std::span<const Continuations> answers) override;
  /// Of each copy, without scores.
  std::vector<Hypothesis> results() override { return std::move(texts_); }

 private:
  Options options_;
  OnToken on_token_;
  std::vector<Hypothesis> texts_;   // of each copy
  std::vector<std::int64_t> live_;  // copies
};

}  // namespace kette

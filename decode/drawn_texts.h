// Texts that are sampled token by token (decode/sampling.h), several for one prompt. A sampled
// token depends only on the seed, the number of the text, the copy and the position. So n copies
// are the first n of more, and other texts of the batch do not matter.
#pragma once

#include <functional>

#include "decode/policy.h"

namespace kette {

/// Called for each token at once, but not for the end mark. Returns whether the copy goes on.
using OnToken = std::function<bool(std::int64_t copy, std::int32_t token)>;

class DrawnTexts final : public Policy {
 public:
  struct Options {
    SamplingOptions sampling;
    std::int64_t copies = 1;
    std::int64_t most = 0;  ///< most tokens of each copy
    /// The token that ends a text; -1: texts end only at `most` tokens.
    std::int32_t end = -1;
    std::int64_t number = 0;      ///< number of the text, for the random draws
    std::int64_t first_copy = 0;  ///< number of the first copy, for the random draws
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
  /// One for each copy, without scores.
  std::vector<Hypothesis> results() override { return std::move(texts_); }

 private:
  Options options_;
  OnToken on_token_;
  std::vector<Hypothesis> texts_;   // one for each copy
  std::vector<std::int64_t> live_;  // copies
};

}  // namespace kette

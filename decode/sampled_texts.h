// Texts that are sampled token by token (decode/sampling.h), several for one prompt. A sampled
// token depends only on the seed, the number of the text, the copy and the position. So n copies
// are the first n of more, and other texts of the batch do not matter.
#pragma once

#include <functional>

#include "decode/policy.h"

namespace kette {

/// Called for each sampled token at once, but not for the end mark. Returns whether the copy goes
/// on.
using OnToken = std::function<bool(std::int64_t copy, std::int32_t token)>;

class SampledTexts final : public Policy {
 public:
  struct Options {
    SamplingOptions sampling;
    std::int64_t copies = 1;
    std::int64_t max_tokens = 0;  ///< most sampled tokens of each copy
    /// The token that ends a text; -1: texts end only at `max_tokens`.
    std::int32_t end = -1;
    std::int64_t number = 0;      ///< number of the text, for the random draws
    std::int64_t first_copy = 0;  ///< number of the first copy, for the random draws
    /// The tokens that every copy begins with. Unlike those of the prompt they are scored.
    std::vector<std::int32_t> given{};
    /// Whether Hypothesis::log_probability is asked for: of all tokens and the end mark, with the
    /// bits of a ForcedText. Such rows are not sampled ahead (decode/engine.h).
    bool scores = false;
  };
  /// Throws an Error that names the option that makes no sense.
  explicit SampledTexts(const Options& options, OnToken on_token = {});

  std::int64_t rows() const override { return std::ssize(live_); }
  std::int64_t max_rows() const override { return options_.copies; }
  std::int64_t max_tokens() const override {
    return std::ssize(options_.given) + options_.max_tokens;
  }
  std::span<const std::int32_t> tokens(std::int64_t row) const override {
    return texts_[live_[row]].tokens;
  }
  Question question(std::int64_t row) const override;
  bool takes_constraints() const override { return false; }
  Chosen choose(std::span<const Continuations> answers) override;
  /// One for each copy.
  std::vector<Hypothesis> results() override { return std::move(texts_); }

 private:
  std::int32_t forced(std::int64_t length) const;
  bool is_whole(std::int64_t length) const;
  Chosen take_given(const Continuations& answer);
  void begin_draws();
  void add_score(Hypothesis& text, float log_probability) const;

  Options options_;
  OnToken on_token_;
  std::vector<Hypothesis> texts_;   // one for each copy
  std::vector<std::int64_t> live_;  // copies; only the first one until it has what is given
};

}  // namespace kette

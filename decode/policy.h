// A policy decides how a text continues: beam search (decode/beam.h), sampling
// (decode/sampled_texts.h), or given tokens (decode/forced_text.h). Its rows are hypotheses in
// progress. Before every step it asks a question about each row. The engine (decode/engine.h) asks
// the model. Then the policy chooses the rows that continue. It uses no tensors, so a new policy is
// one file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/sampling.h"

namespace kette {

struct Hypothesis {
  std::vector<std::int32_t> tokens;  ///< without <s> and </s>
  double log_probability = 0;        ///< of the tokens and the end mark
  double score = 0;       ///< log_probability / length penalty; the same order for equal lengths
  bool at_limit = false;  ///< of the longest length; with BeamKind::full its end mark cost nothing
  /// If requested: one for each token, then one for the end mark if the text has it.
  std::vector<float> token_log_probabilities{};
};

/// A question about the next token of a row.
struct Question {
  std::int64_t likeliest = 0;  ///< number of likeliest tokens
  std::int32_t target = -1;    ///< token whose log-probability is asked for; -1: none
  /// If not null: sample a token with these options instead.
  const SamplingOptions* draw = nullptr;
  std::int32_t text = 0;      ///< number of the text, for the random draw
  std::int64_t position = 0;  ///< number of tokens sampled so far
  std::int64_t left = 0;      ///< most tokens that may still be sampled
  /// Whether the log-probability of the sampled token is asked for: by the model alone, without the
  /// sampling options and the tokens that may not be sampled.
  bool scores_draw = false;
};

/// The answer: possible next tokens of a row.
struct Continuations {
  /// Log-probabilities of the likeliest tokens, descending; empty if sampled.
  std::span<const float> values;
  /// The likeliest tokens, or the sampled one; -1 ends the list.
  std::span<const std::int32_t> tokens;
  /// The log-probability of Question::target, or of the sampled token if Question::scores_draw.
  float target_value = 0;
};

/// The answers of sampled rows. They point into `tokens`. log_probabilities: of the tokens; empty:
/// not asked for.
inline std::vector<Continuations> drawn_tokens(std::span<const std::int32_t> tokens,
                                               std::span<const float> log_probabilities = {}) {
  std::vector<Continuations> answers;
  for (const std::int32_t& token : tokens) answers.push_back({{}, {&token, 1}});
  for (std::size_t i = 0; i < log_probabilities.size(); ++i) {
    answers[i].target_value = log_probabilities[i];
  }
  return answers;
}

class Policy {
 public:
  virtual ~Policy() = default;

  /// The number of live hypotheses. At first they are empty and equal.
  virtual std::int64_t rows() const = 0;
  /// The most rows at any time.
  virtual std::int64_t max_rows() const = 0;
  /// The most tokens of a row, without the prompt and the end mark.
  virtual std::int64_t max_tokens() const = 0;
  /// The tokens of a row so far, without the prompt.
  virtual std::span<const std::int32_t> tokens(std::int64_t row) const = 0;
  virtual Question question(std::int64_t row) const = 0;
  /// Whether tokens can be forbidden or forced (decode/constraint.h).
  virtual bool takes_constraints() const { return true; }

  /// The decision of choose().
  struct Chosen {
    /// Rows that need more of the likeliest tokens: call choose() again with them. Empty: decided.
    std::vector<std::int64_t> unsure;
    /// The parent row of each row that continues. Empty: the text is done.
    std::vector<std::int64_t> parents;
  };
  /// answers: one for each row. It may have fewer or more likeliest tokens than asked for.
  virtual Chosen choose(std::span<const Continuations> answers) = 0;
  /// The result. Call it when no row continues.
  virtual std::vector<Hypothesis> results() = 0;
};

}  // namespace kette

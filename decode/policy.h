// How a text goes on: a beam of likely ones (decode/beam.h), draws by chance (decode/drawn_texts.h), tokens that are
// given (decode/forced_text.h). A policy has rows, each a text in the making. Before every step it says what it
// wants to know of each row; the engine (decode/engine.h) asks the model, and the policy chooses with which rows to
// go on. It knows no tensors, so a new policy is a file of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/sampling.h"

namespace kette {

struct Hypothesis {
  std::vector<std::int32_t> tokens;  ///< without <s> and </s>
  double log_probability = 0;        ///< of the tokens and the end mark
  double score = 0;  ///< divided by the length penalty; of equal lengths the same order
  bool at_limit =
      false;  ///< as long as a search may be: with BeamKind::full its end mark cost nothing
  /// Where that was asked for: of each token, then of the end mark if the text has one.
  std::vector<float> token_log_probabilities{};
};

/// What a policy wants to know of a row.
struct Question {
  std::int64_t likeliest = 0;             ///< so many of the likeliest tokens
  std::int32_t target = -1;               ///< the log-probability of this token; -1: of none
  const SamplingOptions* draw = nullptr;  ///< instead: a token drawn with these
  std::int32_t text = 0;                  ///< for the text of this number,
  std::int64_t position = 0;              ///< which has so many
  std::int64_t left = 0;                  ///< and gets at most so many more
};

/// What a row may go on with.
struct Continuations {
  std::span<const float>
      values;  ///< log-probabilities of the likeliest tokens, falling; of draws none
  std::span<const std::int32_t>
      tokens;              ///< those, or the one that was drawn; -1: there are no more
  float target_value = 0;  ///< the log-probability of Question::target
};

/// Those of rows that were drawn. Points into `tokens`.
inline std::vector<Continuations> drawn_tokens(std::span<const std::int32_t> tokens) {
  std::vector<Continuations> answers;
  for (const std::int32_t& token : tokens) answers.push_back({{}, {&token, 1}});
  return answers;
}

class Policy {
 public:
  virtual ~Policy() = default;

  /// The texts that go on. At first they have no tokens, are all alike, and may be several.
  virtual std::int64_t rows() const = 0;
  /// As many as there may ever be.
  virtual std::int64_t most_rows() const = 0;
  /// Tokens that a row may come to have, behind the prompt, end mark not counted.
  virtual std::int64_t most_tokens() const = 0;
  /// What a row has so far, behind the prompt.
  virtual std::span<const std::int32_t> tokens(std::int64_t row) const = 0;
  virtual Question question(std::int64_t row) const = 0;
  /// Whether tokens can be forbidden or forced (decode/constraint.h).
  virtual bool takes_constraints() const { return true; }

  /// What choose() decided.
  struct Chosen {
    /// Rows of which more of the likeliest must be seen: the same again with those. Empty: it is decided.
    std::vector<std::int64_t> unsure;
    /// Of each row that goes on, the row that it goes on from. None: the text is done.
    std::vector<std::int64_t> parents;
  };
  /// answers: of each row. Of a row that asked for n likeliest there may be fewer, or more.
  virtual Chosen choose(std::span<const Continuations> answers) = 0;
  /// What came of it, once no row goes on.
  virtual std::vector<Hypothesis> results() = 0;
};

}  // namespace kette

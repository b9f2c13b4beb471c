// What the hypotheses of a text may go on with, besides what the model finds likely: a prefix that is given,
// brackets that must balance, words that must not come. A search asks for every hypothesis at every
// step. Log-probabilities stay those of the model, which knows nothing of it.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kette {

class Constraint {
 public:
  virtual ~Constraint() = default;

  struct Choice {
    std::int32_t forced = -1;  ///< only this token, which may be the end mark; -1: none is forced
    std::int64_t mask = -1;    ///< only the tokens of masks()[mask]; -1: all
    bool may_end = true;
  };

  /// The sets of tokens that choices speak of, a value for each token of the vocabulary. What it says of the end
  /// mark does not matter.
  virtual std::vector<std::vector<bool>> masks() const { return {}; }
  /// What the text may go on with after these tokens.
  virtual Choice after(std::span<const std::int32_t> tokens) const = 0;
};

/// The text begins with the tokens of a prefix, and goes on freely.
class Prefix final : public Constraint {
 public:
  explicit Prefix(std::vector<std::int32_t> tokens) : prefix_(std::move(tokens)) {}
  Choice after(std::span<const std::int32_t> tokens) const override {
    if (tokens.size() >= prefix_.size()) return {};
    return {.forced = prefix_[tokens.size()]};
  }

 private:
  std::vector<std::int32_t> prefix_;
};

}  // namespace kette

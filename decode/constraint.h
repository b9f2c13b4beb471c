// What a hypothesis may go on with, besides what the model finds likely: a prefix that is given,
// brackets that must balance, words that must not come. A search asks for every hypothesis at every
// step. Log-probabilities stay those of the model, which knows nothing of it.
#pragma once

#include <cstdint>
#include <span>
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

  /// The sets of tokens that choices speak of, a value for each token of the vocabulary; the end mark's
  /// is of no account.
  virtual std::vector<std::vector<bool>> masks() const { return {}; }
  /// What text `number` may go on with after these tokens. Called by several threads at once.
  virtual Choice after(std::int64_t number, std::span<const std::int32_t> tokens) const = 0;
};

/// Text n begins with the tokens prefixes[n], and goes on freely.
class Prefixes final : public Constraint {
 public:
  explicit Prefixes(std::vector<std::vector<std::int32_t>> prefixes)
      : prefixes_(std::move(prefixes)) {}
  Choice after(std::int64_t number, std::span<const std::int32_t> tokens) const override {
    const std::vector<std::int32_t>& prefix = prefixes_[number];
    if (tokens.size() >= prefix.size()) return {};
    return {.forced = prefix[tokens.size()]};
  }

 private:
  std::vector<std::vector<std::int32_t>> prefixes_;
};

}  // namespace kette

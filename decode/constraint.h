// Restricts the tokens that may follow in a text: a given prefix, balanced brackets, forbidden
// words. A search asks it for every hypothesis at every step. Log-probabilities are those of the
// model without the constraint.
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
    /// The only token allowed, possibly the end mark; -1: none is forced.
    std::int32_t forced = -1;
    std::int64_t mask = -1;  ///< only the tokens of masks()[mask] are allowed; -1: all
    bool may_end = true;
  };

  /// The masks that choices refer to, [masks][vocabulary]. The value of the end mark is ignored.
  virtual std::vector<std::vector<bool>> masks() const { return {}; }
  /// What may follow these tokens.
  virtual Choice after(std::span<const std::int32_t> tokens) const = 0;
};

/// Forces the tokens of a prefix; then everything is allowed.
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

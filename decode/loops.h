// Searches that run in circles: "I'm sorry I'm sorry I'm sorry ...".
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "decode/constraint.h"

namespace kette {

/// The tokens of the first loop in a text, up to eight that stand four times one behind the other; none where there is
/// no such thing.
std::vector<std::int32_t> loop_in(std::span<const std::int32_t> tokens);

/// A search without one: what ends the loop's tokens does not come where they would stand a second time in a row.
class NoLoop final : public Constraint {
 public:
  /// loop: at least one token.
  NoLoop(std::vector<std::int32_t> loop, std::int64_t vocabulary)
      : loop_(std::move(loop)), vocabulary_(vocabulary) {}

  std::vector<std::vector<bool>> masks() const override;
  Choice after(std::span<const std::int32_t> tokens) const override;

 private:
  std::vector<std::int32_t> loop_;
  std::int64_t vocabulary_;
};

}  // namespace kette

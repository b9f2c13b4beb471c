// Degenerate repetition in generated text: "I'm sorry I'm sorry I'm sorry ...".
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "decode/constraint.h"

namespace kette {

/// The tokens of the first loop in a text: one to eight tokens that occur four times in succession.
/// Empty if there is none.
std::vector<std::int32_t> loop_in(std::span<const std::int32_t> tokens);

/// Forbids a loop: its last token is not allowed where the loop would occur twice in succession.
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

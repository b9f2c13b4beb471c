// Searches that run in circles: "I'm sorry I'm sorry I'm sorry ...".
#pragma once

#include <map>
#include <span>
#include <vector>

#include "decode/constraint.h"

namespace kette {

/// The tokens of the first loop in a text, up to eight that stand four times one behind the other; none where there is
/// no such thing.
std::vector<std::int32_t> loop_in(std::span<const std::int32_t> tokens);

/// A search without them: what ends a loop's tokens does not come where they would stand a second time in a row.
class NoLoops final : public Constraint {
 public:
  /// Of text n loops[n], which may be empty.
  NoLoops(std::vector<std::vector<std::int32_t>> loops, std::int64_t vocabulary);

  std::vector<std::vector<bool>> masks() const override { return masks_; }
  Choice after(std::int64_t number, std::span<const std::int32_t> tokens) const override;

 private:
  std::vector<std::vector<std::int32_t>> loops_;
  std::vector<std::vector<bool>> masks_;
  std::map<std::int32_t, std::int64_t> mask_of_;  // by the token that it lacks
};

}  // namespace kette

// Where in a model an op belongs: "decoder/3/feed_forward". An op knows no paths; but a pass asks its tap for
// every point (nn/tap.h) as soon as the point's value is there, so what has run since the last point made
// the value of this one. Of an op on parameters the scope is what their names have in common with it: all
// of a feed-forward sub-layer that is one op, and not its last map alone.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "autograd/variable.h"
#include "nn/tap.h"

namespace kette {

/// Wants no point, so that a pass computes what it would without it.
class ScopeFinder final : public Tap {
 public:
  /// Something has run; gives its number, from 0.
  std::size_t ran(std::span<const Variable* const> inputs = {});
  /// What ran since the last point made none: its scope is that of its parameters alone, if any.
  void end_of_stretch();
  bool wants(const std::string& point) const override;
  Variable at(const std::string&, const Variable& value) override { return value; }

  const std::string& scope(std::size_t number) const { return scopes_[number]; }

 private:
  // Of what has not come by a point yet: what the scopes of its parameters have in common.
  mutable std::vector<std::string> scopes_;
  mutable std::size_t known_ = 0;
};

/// The first so many parts of a path; 0: all.
std::string folded(const std::string& path, std::int64_t parts);

}  // namespace kette

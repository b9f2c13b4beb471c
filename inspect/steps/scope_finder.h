// Finds the scope of an op, its place in the model: "decoder/3/feed_forward". Ops know no paths. But a forward pass
// asks its tap for every point (nn/tap.h) right after it has computed the point's value. So all ops since the
// last point contributed to this one. The scope of an op with parameters is the common path of their names and the
// point.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "autograd/variable.h"
#include "nn/tap.h"

namespace kette {

/// Wants no point, so it does not change what a pass computes.
class ScopeFinder final : public Tap {
 public:
  /// Call it after each op. Returns the number of the op, from 0.
  std::size_t ran(std::span<const Variable* const> inputs = {});
  /// The ops since the last point belong to no point. Their scope is that of their parameters, if any.
  void end_of_stretch();
  bool wants(const std::string& point) const override;
  Variable at(const std::string&, const Variable& value) override { return value; }

  const std::string& scope(std::size_t number) const { return scopes_[number]; }

 private:
  // By op. Before its point is reached: the common path of its parameters.
  mutable std::vector<std::string> scopes_;
  mutable std::size_t known_ = 0;
};

/// The first `parts` parts of a path; 0: all.
std::string folded(const std::string& path, std::int64_t parts);

}  // namespace kette

// Somebody who looks inside a forward pass. Every value of it that has a name, a point, is shown to
// the Run's tap, which may put another in its place: on the tape while training, so that gradients go
// through what was put there, and in decoding. Points are named by the Scope path of what they come
// from: encoder/0/self_attention/query_key_value is the output of that linear map,
// encoder/0/self_attention/probabilities a value on the way (nn/points.h). `kette info --points` lists them all.
#pragma once

#include <string>

#include "autograd/variable.h"

namespace kette {

class Tap {
 public:
  virtual ~Tap() = default;
  /// Whether a point is to be shown. Values that a pass has no need of, such as attention
  /// probabilities, are only computed for who wants them.
  virtual bool wants(const std::string& point) const = 0;
  /// What the pass goes on with: the value itself, or another of its shape.
  virtual Variable at(const std::string& point, const Variable& value) = 0;
};

}  // namespace kette

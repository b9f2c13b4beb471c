// Observes a forward pass, and may change it. Each named value, called a point, is shown to the Run's tap. The tap may
// replace it, in training and in decoding. In training the replacement is on the tape, so gradients flow through it. A
// point is named by the Scope path of its layer: encoder/0/self_attention/query_key_value is the output of that linear
// map, encoder/0/self_attention/probabilities an intermediate value (nn/points.h). `kette info --points` lists all
// points of a model. A search stores no logits, so it shows none.
#pragma once

#include <string>

#include "autograd/variable.h"

namespace kette {

class Tap {
 public:
  virtual ~Tap() = default;
  /// Whether to show a point. Values that the pass itself does not need, such as attention
  /// probabilities, are computed only if wanted.
  virtual bool wants(const std::string& point) const = 0;
  /// Returns the value to continue with: `value` itself, or another of the same shape and dtype.
  virtual Variable at(const std::string& point, const Variable& value) = 0;
};

}  // namespace kette

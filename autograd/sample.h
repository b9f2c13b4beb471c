// Samples: small inputs on which an op is checked. From one sample follow the gradient check (f64),
// the comparisons with the plain reference, of dtypes and of devices, and the bench entry.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/variable.h"

namespace kette {

/// An input filled uniformly from [low, high).
struct SampleInput {
  Shape shape;
  double low = -1, high = 1;
};

using Values = std::vector<double>;

struct Sample {
  std::string label;
  std::vector<SampleInput> inputs;
  /// Applies the op; must work for any floating dtype.
  std::function<Variable(const std::vector<Variable>&)> call;
  /// The same in plain loops over row-major values, sharing no code with the op.
  std::function<Values(const std::vector<Values>&)> reference;
};

}  // namespace kette

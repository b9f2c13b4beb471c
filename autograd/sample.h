// Samples: small inputs for checking an op. Each is used by the gradient check (f64), the
// comparisons with the plain reference, of dtypes and of devices, and the benchmark.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/variable.h"

namespace kette {

/// An input: drawn uniformly from [low, high), or given values.
struct SampleInput {
  Shape shape;
  double low = -1, high = 1;
  std::vector<double> kinks{};  ///< values keep 1/100 of the range away from these
  Tensor values{};              ///< given; i32 (ids, a mask) as is, else cast to the check's dtype
  bool constant = false;        ///< its gradient is not wanted
};
inline SampleInput given(const Tensor& values) {
  return {.shape = values.shape(), .values = values, .constant = values.dtype() == DType::i32};
}
inline SampleInput constant(const Tensor& values) {
  return {.shape = values.shape(), .values = values, .constant = true};
}

inline bool is_differentiated(const SampleInput& input) {
  return !input.constant && (!input.values.defined() || input.values.dtype() != DType::i32);
}

/// Inputs for a sample: the same values in every dtype and on every device.
std::vector<Tensor> sample_inputs(const std::vector<SampleInput>& inputs, DType dtype,
                                  std::uint64_t seed, Device device = {});

using Values = std::vector<double>;

struct Sample {
  std::string label;
  std::vector<SampleInput> inputs;
  /// Applies the op; must work for any floating dtype.
  std::function<Variable(const std::vector<Variable>&)> call;
  /// The same function in plain loops over row-major values, without any code of the op.
  std::function<Values(const std::vector<Values>&)> reference{};
};

}  // namespace kette

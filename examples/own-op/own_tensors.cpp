#include <iostream>

#include "autograd/all_ops.h"
#include "autograd/gradient_check.h"

using namespace kette;

// Rows of a table, looked up by ids, those that a mask leaves, and the roots of a matrix that must not be negative.
int main() {
  const Tensor ids = Tensor::from(std::vector<std::int32_t>{2, 0, 2});
  const Tensor mask = Tensor::from(std::vector<double>{1, 0, 1}, {3, 1});
  const Tensor positive = Tensor::from(std::vector<double>{4, 1, 1, 3, 2, 5}, {3, 2});
  const SampleInput table{{3, 2}, -1, 1};      // drawn from [-1, 1)
  const SampleInput edge{{3, 2}, -1, 1, {0}};  // likewise, but not near 0, where relu has its kink
  const GradientCheck check = check_gradients(
      [&](const std::vector<Variable>& in) {
        return embedding(in[0], in[1].value()) * in[2] + sqrt(in[3]) * relu(in[4]);
      },
      {table, given(ids), constant(mask), given(positive), edge});
  std::cout << check.str();
  return check.ok() ? 0 : 1;
}

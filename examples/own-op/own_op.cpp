#include <iostream>

#include "autograd/all_ops.h"
#include "autograd/gradient_check.h"

using namespace kette;

struct Cube {  // y = x^3
  static constexpr const char* name = "cube";
  Tensor x{};

  Tensor forward(const Tensor& input) {
    x = input;
    return (square(Variable(x)) * Variable(x)).value();
  }
  void backward(const Tensor& dy, GradientSlot& dx) {
    dx.add((affine(square(Variable(x)), 3) * Variable(dy)).value());
  }
  // How y changes while x changes by dx: for the adjoint test, and for second derivatives.
  Variable tangent(const std::array<Variable, 1>& at, const std::array<Variable, 1>& change,
                   const Variable& /*y*/) const {
    return affine(square(at[0]), 3) * change[0];
  }
};

int main() {
  const GradientCheck check = check_gradients(
      [](const std::vector<Variable>& in) { return record(Cube{}, in[0]); }, {{{3, 5}}});
  std::cout << check.str();
  return check.ok() ? 0 : 1;
}

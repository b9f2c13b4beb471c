#include <cstdio>

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
};

int main() {
  const GradientGap worst = check_gradients(
      [](const std::vector<Variable>& in) { return record(Cube{}, in[0]); }, {{{3, 5}}});
  std::printf("worst gap %.1e at %s\n", worst.gap, worst.where.c_str());
  return worst.gap < 1e-6 ? 0 : 1;
}

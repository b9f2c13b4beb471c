#include <iostream>

#include "autograd/all_ops.h"
#include "autograd/gradient_check.h"

using namespace kette;

struct SumAndDifference {
  static constexpr const char* name = "sum_and_difference";

  std::array<Tensor, 2> forward(const Tensor& a, const Tensor& b) {
    return {(Variable(a) + Variable(b)).value(), (Variable(a) - Variable(b)).value()};
  }
  // The gradient of an output that nothing depends on is undefined.
  void backward(const std::array<Tensor, 2>& dy, GradientSlot& da, GradientSlot& db) {
    if (dy[0].defined()) {
      da.add(dy[0]);
      db.add(dy[0]);
    }
    if (dy[1].defined()) {
      da.add(dy[1]);
      db.add(affine(Variable(dy[1]), -1).value());
    }
  }
};

// Each output is weighted, and each is also taken alone.
int main() {
  const GradientCheck check = check_gradients(
      [](const std::vector<Variable>& in) { return record(SumAndDifference{}, in[0], in[1]); },
      {{{2, 3}}, {{2, 3}}});
  std::cout << check.str();
  return check.ok() ? 0 : 1;
}

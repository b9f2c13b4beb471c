#include <iostream>

#include "autograd/all_ops.h"
#include "autograd/gradient_check.h"

using namespace kette;

struct Half {  // of f32 alone
  static constexpr const char* name = "half";

  Tensor forward(const Tensor& x) {
    const Tensor y = x.clone();
    float* values = y.data<float>();
    for (std::int64_t i = 0; i < y.elements(); ++i) values[i] *= 0.5f;
    return y;
  }
  void backward(const Tensor& dy, GradientSlot& dx) { dx.add(affine(Variable(dy), 0.5).value()); }
};

// With the step and the tolerance that f32 allows.
int main() {
  const GradientCheck check =
      check_gradients([](const std::vector<Variable>& in) { return record(Half{}, in[0]); },
                      {{{3, 5}}}, GradientCheckOptions().in_f32());
  std::cout << check.str();
  return check.ok() ? 0 : 1;
}

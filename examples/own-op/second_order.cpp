#include <iostream>

#include "autograd/all_ops.h"
#include "autograd/hessian.h"

using namespace kette;

// H v of a loss of one parameter, L = sum of exp(w)^2: the Hessian is diagonal, 4 exp(2 w).
int main() {
  const auto w = std::make_shared<Leaf>();
  w->name = "w";
  w->value = Tensor::from(std::vector<double>{0, 0.5, -1});
  w->gradient = Tensor::zeros({3}, DType::f64);
  const auto loss = [&] { return sum(square(exp(Variable(w)))); };
  const Tensor v = Tensor::from(std::vector<double>{1, 1, 1});
  for (const double product : hessian_vector_product(loss, {w}, {v})[0].values<double>()) {
    std::cout << product << ' ';
  }
  const GradientCheck check = check_second_order(
      [](const std::vector<Variable>& in) { return square(exp(in[0])); }, {{{3}}});
  std::cout << '\n' << check.str();
  return check.ok() ? 0 : 1;
}

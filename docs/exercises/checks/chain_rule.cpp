// Gradients of a tape of numbers, against those of Kette's tape.
#include "chain_rule.h"

#include "autograd/ops/elementwise.h"
#include "autograd/tape.h"
#include "check.h"

using kette::Tape, kette::Tensor, kette::Variable;

int main() {
  Check check("chain_rule");

  // y = exp(a b) + a b a, with a in use three times.
  const double a = 0.7, b = -0.4;
  const std::vector<Node> tape = {{},
                                  {},
                                  {{0, 1}, {b, a}},  // 2: a b
                                  {{2}, {std::exp(a * b)}},
                                  {{2, 0}, {a, a * b}},  // 3: exp, 4: a b a
                                  {{3, 4}, {1, 1}}};
  const std::vector<double> came = gradients(tape, 5);
  Tape real;
  const Variable x = real.watch(Tensor::full({1}, a, kette::DType::f64)),
                 y = real.watch(Tensor::full({1}, b, kette::DType::f64));
  const Variable product = x * y;
  real.backward(exp(product) + product * x);
  check.near("y = exp(a b) + a b a, its derivative by a", real.gradient(x).item(), came[0]);
  check.near("by b", real.gradient(y).item(), came[1]);
  check.near("by y itself", 1, came[5]);
  check.near("of a b by exp(a b), which comes later", 0, gradients(tape, 2)[3]);

  check.near("y = a a, its derivative by a = 3", 6, gradients({{}, {{0, 0}, {3, 3}}}, 1)[0]);

  // Each node twice the one before: 2^60 ways lead back, and 60 steps.
  std::vector<Node> doubled(61);
  for (std::size_t i = 1; i < doubled.size(); ++i) doubled[i] = {{i - 1, i - 1}, {1, 1}};
  check.near("a doubled 60 times, its derivative by a", 0x1p60, gradients(doubled, 60)[0]);
  return check.end();
}

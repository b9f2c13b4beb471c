// Differences against known derivatives, against Kette's gradient of a softmax, and against a gradient that is wrong.
#include "differences.h"

#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/tape.h"
#include "check.h"

using kette::Tape, kette::Tensor, kette::Variable;

int main() {
  Check check("differences");

  const Loss products = [](const std::vector<double>& x) { return x[0] * x[1] * x[2]; };
  const std::vector<double> of_products = differences(products, {2, 3, 5}, 1e-5);
  check.near("L = x0 x1 x2 at (2, 3, 5), by x0", 15, of_products.at(0), 1e-8);
  check.near("by x1 (is x0 back at 2?)", 10, of_products.at(1), 1e-8);
  check.near("by x2", 6, of_products.at(2), 1e-8);

  const Loss exponential = [](const std::vector<double>& x) { return std::exp(x[0]); };
  const double wide = std::abs(differences(exponential, {1}, 1e-2)[0] - std::exp(1));
  const double narrow = std::abs(differences(exponential, {1}, 1e-3)[0] - std::exp(1));
  check.near("L = exp(x) at 1: the error with h = 1e-2 over that with 1e-3 (10: of one side alone)",
             100, wide / narrow, 0.05);

  const std::vector<double> at = {0.3, -1.2, 2, 0.1}, weights = {1, -2, 0.5, 3};
  const auto weighted = [&](const Variable& x) {
    return sum(softmax(x) * Variable(Tensor::from(weights)));
  };
  Tape tape;
  const Variable x = tape.watch(Tensor::from(at));
  tape.backward(weighted(x));
  const std::vector<double> expected = tape.gradient(x).values<double>();
  const std::vector<double> came = differences(
      [&](const std::vector<double>& moved) {
        return weighted(Variable(Tensor::from(moved))).value().item();
      },
      at, 1e-5);
  for (std::size_t i = 0; i < at.size(); ++i) {
    check.near("a weighted softmax, by element " + std::to_string(i), expected[i], came.at(i),
               1e-8);
  }

  // The gradient of exp(x), but 0 below 0.
  const double wrong = 0, found = differences(exponential, {-2}, 1e-5)[0];
  check.that(std::abs(wrong - found) > 1e-3, "exp at -2, a gradient that says 0",
             "a difference that differs", found);
  return check.end();
}

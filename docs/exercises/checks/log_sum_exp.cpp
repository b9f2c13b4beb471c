// Values of the op, its gradient by both tests, and second derivatives through its tangent.
#include "log_sum_exp.h"

#include "autograd/gradient_check.h"
#include "autograd/hessian.h"
#include "check.h"

using namespace kette;

int main() {
  Check check("log_sum_exp");
  const auto op = [](const std::vector<Variable>& in) { return record(LogSumExp{}, in[0]); };
  const auto of = [&](const std::vector<double>& row) {
    return op({Variable(Tensor::from(row, {1, static_cast<std::int64_t>(row.size())}))})
        .value()
        .item();
  };
  check.near("of (0, 0, 0, 0)", std::log(4.0), of({0, 0, 0, 0}));
  check.near("of (1, 2, 3)", 3.40760596444438, of({1, 2, 3}), 1e-12);
  check.near("of (1000, 1000)", 1000 + std::log(2.0), of({1000, 1000}));
  check.near("of (-1000, -1000)", -1000 + std::log(2.0), of({-1000, -1000}));

  const GradientCheck gradient = check_gradients(op, {{{4, 7}, -3, 3}});
  check.that(gradient.ok() && gradient.adjoint,
             "its gradient by differences and by the adjoint test", "both ok",
             "\n" + gradient.str());
  const GradientCheck second = check_second_order(op, {{{3, 4}, -2, 2}});
  check.that(second.ok(), "its second derivatives", "ok", "\n" + second.str());
  return check.end();
}

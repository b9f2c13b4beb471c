// Against Kette's optimiser, over five steps with other gradients each.
#include "adam.h"

#include "check.h"
#include "train/adam.h"

using namespace kette;

int main() {
  Check check("adam");
  ParamStore store;
  const Variable w = Scope(store).parameter("w", {4}, Init::normal(1));
  store.materialize(1, DType::f64);
  OptimizerOptions options;
  options.beta2 = 0.9;
  options.epsilon = 1e-3;
  Adam kettes(store, options);

  std::vector<double> weights = w.value().values<double>();
  AdamState state{{0, 0, 0, 0}, {0, 0, 0, 0}};
  for (int step = 1; step <= 5; ++step) {
    std::vector<double> gradients;
    for (int i = 0; i < 4; ++i) gradients.push_back(std::sin(step * (i + 1)) / (i + 1));
    w.leaf()->gradient.copy_from(Tensor::from(gradients));
    kettes.step(0.1);
    adam_step(weights, gradients, state, 0.1, options.beta1, options.beta2, options.epsilon);
    const std::vector<double> expected = w.value().values<double>();
    for (std::size_t i = 0; i < 4; ++i) {
      check.near("after step " + std::to_string(step) + ", weight " + std::to_string(i),
                 expected[i], weights[i]);
    }
  }
  return check.end();
}

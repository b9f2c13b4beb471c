#include "train/adam.h"

#include <cmath>

namespace kette {

Adam::Adam(ParamStore& store, const AdamOptions& options)
    : store_(store),
      options_(options),
      first_moment_(
          Tensor::zeros(store.values().shape(), store.values().dtype(), store.values().device())),
      second_moment_(first_moment_.clone()) {}

void Adam::step(double lr, double gradient_scale) {
  ++steps_;
  AdamArgs args;
  args.parameters = store_.values();
  args.gradients = store_.gradients();
  args.rounded = store_.rounded();
  args.first_moment = first_moment_;
  args.second_moment = second_moment_;
  args.lr = lr;
  args.beta1 = options_.beta1;
  args.beta2 = options_.beta2;
  args.epsilon = options_.epsilon;
  args.weight_decay = options_.weight_decay;
  args.decayed = store_.matrix_elements();
  args.gradient_scale = gradient_scale;
  args.step = steps_;
  on(args.parameters.device(), [&](auto exec) { kernels::adam(exec, args); });
}

double gradient_norm(const ParamStore& store) {
  const Tensor& gradients = store.gradients();
  return std::sqrt(
      on(gradients.device(), [&](auto exec) { return kernels::sum_of_squares(exec, gradients); }));
}

}  // namespace kette

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
  const auto update = [&](std::int64_t begin, std::int64_t end, double weight_decay) {
    if (begin == end) return;
    AdamArgs args;
    args.parameters = store_.values().slice(begin, end);
    args.gradients = store_.gradients().slice(begin, end);
    args.first_moment = first_moment_.slice(begin, end);
    args.second_moment = second_moment_.slice(begin, end);
    args.lr = lr;
    args.beta1 = options_.beta1;
    args.beta2 = options_.beta2;
    args.epsilon = options_.epsilon;
    args.weight_decay = weight_decay;
    args.gradient_scale = gradient_scale;
    args.step = steps_;
    on(args.parameters.device(), [&](auto exec) { kernels::adam(exec, args); });
  };
  update(0, store_.matrix_elements(), options_.weight_decay);
  update(store_.matrix_elements(), store_.values().elements(), 0);
}

double gradient_norm(const ParamStore& store) {
  const Tensor& gradients = store.gradients();
  return std::sqrt(
      on(gradients.device(), [&](auto exec) { return kernels::sum_of_squares(exec, gradients); }));
}

}  // namespace kette

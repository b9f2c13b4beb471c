#include "train/adam.h"

#include "tensor/observer.h"

namespace kette {

Adam::Adam(ParamStore& store, const AdamOptions& options)
    : store_(store),
      options_(options),
      first_moment_(
          Tensor::zeros(store.values().shape(), store.values().dtype(), store.values().device())),
      second_moment_(first_moment_.clone()) {}

void Adam::step(double lr, const Tensor& squares, double clip_norm) {
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
  args.squares = squares;
  args.clip_norm = clip_norm;
  args.step = steps_;
  const Work work("adam", {&args.parameters, &args.gradients, &first_moment_, &second_moment_},
                  {&args.parameters, &first_moment_, &second_moment_, &args.rounded});
  on(args.parameters.device(), [&](auto exec) { kernels::adam(exec, args); });
}

}  // namespace kette

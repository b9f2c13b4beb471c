#include "train/adam.h"

#include "tensor/kernels.h"
#include "tensor/observer.h"

namespace kette {

void Adam::update(const UpdateArgs& args, std::span<const Tensor> state) {
  const AdamArgs all{args, state[0], state[1], beta1_, beta2_, epsilon_};
  const Work work("adam", {&args.parameters, &args.gradients, &state[0], &state[1]},
                  {&args.parameters, &state[0], &state[1], &args.rounded});
  on(args.parameters.device(), [&](auto exec) { kernels::adam(exec, all); });
}

}  // namespace kette

#include "train/lion.h"

#include "tensor/kernels.h"
#include "tensor/observer.h"

namespace kette {

void Lion::update(const UpdateArgs& args, std::span<const Tensor> state) {
  const LionArgs all{args, state[0], beta1_, beta2_};
  const Work work("lion", {&args.parameters, &args.gradients, &state[0]},
                  {&args.parameters, &state[0], &args.rounded});
  on(args.parameters.device(), [&](auto exec) { kernels::lion(exec, all); });
}

}  // namespace kette

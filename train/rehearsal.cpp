#include "train/rehearsal.h"

#include "autograd/tape.h"
#include "tensor/stopwatch.h"

namespace kette {

double seconds_of_passes(const Model& model, ParamStore& parameters, const Batch& batch) {
  constexpr std::int64_t kTokensAtOnce = 1024;  // for a memory of any size
  const Tensor sums = CrossEntropySums::zeros(parameters.values().device());
  parameters.clear_gradients();
  const Stopwatch watch;
  for (const Batch& part : split(batch, kTokensAtOnce)) {
    Tape tape;
    Run run(1, 0);
    tape.backward(model.loss(part, {}, run, sums));
  }
  CrossEntropySums::of(sums);  // waits for a GPU
  parameters.clear_gradients();
  return watch.seconds();
}

}  // namespace kette

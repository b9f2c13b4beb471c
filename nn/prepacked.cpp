#include "nn/prepacked.h"

#include "autograd/ops/ids.h"
#include "autograd/tape.h"
#include "tensor/kernels.h"
#include "tensor/observer.h"

namespace kette {

Variable prepacked_linear(const Variable& x, const PrepackedWeight& weight, Activation activation) {
  KETTE_CHECK(Tape::tracking(x) == nullptr,
              "linear: expected rows without a gradient for a model made ready for decoding, given "
              "rows on a tape (take the model it was made from)");
  const Tensor y = Tensor::empty({x.value().rows(), weight.out}, DType::f32, x.value().device());
  const Work work("prepacked_linear", {&x.value(), &weight.panels, &weight.bias}, {&y});
  on(y.device(), [&](auto exec) {
    kernels::prepacked_linear(exec, {&weight, x.value(), y, activation});
  });
  return y;
}

Variable rounded_embedding(const Int8Matrix& table, const Tensor& ids, double scale) {
  return rows_of(table, checked_ids("embedding", ids, table.values), scale);
}

}  // namespace kette

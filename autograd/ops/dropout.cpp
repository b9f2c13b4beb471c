#include "autograd/ops/dropout.h"

#include "autograd/op.h"

namespace kette::ops {

Tensor Dropout::masked(const Tensor& x) const {
  const Tensor y = Tensor::empty(x.shape(), x.dtype(), x.device());
  visit_float(x.dtype(), name, [&]<class T>(T) {
    const rows::Dropout<T> body{x.data<T>(), y.data<T>(), x.width(), mask};
    on(x.device(), [&](auto exec) { kernels::for_rows(exec, body, x.rows()); });
  });
  return y;
}

std::vector<Sample> Dropout::samples() {
  const DropoutMask mask(0.4, {5, 6});
  return {Sample{"[3, 140], rate 0.4",
                 {{{3, 140}}},
                 [mask](const std::vector<Variable>& in) { return dropout(in[0], mask); },
                 [mask](const std::vector<Values>& in) {
                   Values y = in[0];
                   for (std::size_t i = 0; i < y.size(); ++i) {
                     const auto at = static_cast<std::int64_t>(i);
                     y[i] *= static_cast<double>(mask.at(at / 140, at % 140, 140));
                   }
                   return y;
                 }}};
}

}  // namespace kette::ops

namespace kette {

Variable dropout(const Variable& x, const DropoutMask& mask) {
  return mask.active() ? record(ops::Dropout{mask}, x) : x;
}

}  // namespace kette

#include "autograd/ops/products.h"

namespace kette {

void multiply(const Matrix& c, const Matrix& a, const Matrix& b, bool adds, double scale) {
  const MatmulArgs args = MatmulArgs::of(c, a, b, scale, adds ? 1 : 0);
  on(c.device(), [&](auto exec) { kernels::matmul(exec, args); });
}

void add_parameter_gradients(const Tensor& dy, const Tensor& x, const Tensor& bias,
                             GradientSlot& dweight, GradientSlot& dbias) {
  const GradientSlot::Buffer sums = dbias.wanted() ? dbias.sums(bias) : GradientSlot::Buffer{};
  if (dweight.wanted()) {
    const GradientSlot::Buffer gradient = dweight.buffer();
    MatmulArgs args =
        MatmulArgs::of(gradient.tensor, Matrix(dy).transposed(), x, 1, gradient.adds ? 1 : 0);
    if (sums.tensor.defined()) args.a_row_sums = sums.tensor.raw();
    args.sums_are_zero = sums.zeros;
    on(dy.device(), [&](auto exec) { kernels::matmul(exec, args); });
  } else if (sums.tensor.defined()) {
    on(dy.device(), [&](auto exec) { kernels::add_rows(exec, dy, sums.tensor); });
  }
  if (sums.tensor.defined() && !sums.adds) dbias.add(sums.tensor);
}

}  // namespace kette

#include "autograd/ops/products.h"

namespace kette {

MatmulArgs product_of(const Tensor& a, bool transpose_a, const Tensor& b, bool transpose_b,
                      const Tensor& c, bool adds) {
  MatmulArgs args;
  args.dtype = a.dtype();
  args.wide_result = c.dtype() != a.dtype();
  args.a = a.raw();
  args.b = b.raw();
  args.c = c.raw();
  args.m = c.shape()[-2];
  args.n = c.shape()[-1];
  args.k = transpose_a ? a.shape()[-2] : a.shape()[-1];
  args.lda = a.shape()[-1];
  args.ldb = b.shape()[-1];
  args.ldc = args.n;
  args.transpose_a = transpose_a;
  args.transpose_b = transpose_b;
  args.beta = adds ? 1 : 0;
  args.batch_stride_a = a.shape()[-2] * a.shape()[-1];
  args.batch_stride_b = b.shape()[-2] * b.shape()[-1];
  args.batch_stride_c = args.m * args.n;
  args.batch = args.batch_stride_c == 0 ? 0 : c.elements() / args.batch_stride_c;
  return args;
}

void multiply(const Tensor& a, bool transpose_a, const Tensor& b, bool transpose_b, const Tensor& c,
              bool adds) {
  const MatmulArgs args = product_of(a, transpose_a, b, transpose_b, c, adds);
  on(c.device(), [&](auto exec) { kernels::matmul(exec, args); });
}

void add_parameter_gradients(const Tensor& dy, const Tensor& x, const Tensor& bias,
                             GradientSlot& dweight, GradientSlot& dbias) {
  const GradientSlot::Buffer sums = dbias.wanted() ? dbias.sums(bias) : GradientSlot::Buffer{};
  if (dweight.wanted()) {
    const GradientSlot::Buffer gradient = dweight.buffer();
    MatmulArgs args = product_of(dy, true, x, false, gradient.tensor, gradient.adds);
    if (sums.tensor.defined()) args.a_row_sums = sums.tensor.raw();
    args.sums_are_zero = sums.zeros;
    on(dy.device(), [&](auto exec) { kernels::matmul(exec, args); });
  } else if (sums.tensor.defined()) {
    on(dy.device(), [&](auto exec) { kernels::add_rows(exec, dy, sums.tensor); });
  }
  if (sums.tensor.defined() && !sums.adds) dbias.add(sums.tensor);
}

}  // namespace kette

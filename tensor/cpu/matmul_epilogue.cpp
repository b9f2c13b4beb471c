#include "tensor/cpu/matmul_epilogue.h"

#include "tensor/cpu/column_sums.h"
#include "tensor/cpu/parallel.h"
#include "tensor/cpu/scratch.h"
#include "tensor/kernels.h"

namespace kette::kernels {

void add_rows(CpuExec, const Tensor& x, const Tensor& y) {
  constexpr std::int64_t kRows = 128;
  const std::int64_t rows = x.elements() / std::max<std::int64_t>(1, y.elements());
  const std::int64_t width = y.elements(), blocks = cpu::ceil_div(rows, kRows);
  visit_float(x.dtype(), "add_rows", [&]<class T>(T) {
    using C = Compute<T>;
    const T* in = x.data<T>();
    const cpu::Scratch<C> partial(blocks * width);
    cpu::parallel_blocks(rows, kRows, width, [&](std::int64_t begin, std::int64_t end) {
      C* sums = partial.data() + begin / kRows * width;
      std::fill_n(sums, width, C(0));
      for (std::int64_t row = begin; row < end; ++row) {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j) sums[j] += C(in[row * width + j]);
      }
    });
    if (blocks == 0) return;
    cpu::add_blocks(partial.data(), blocks, width, width);
    cpu::add_to(y, partial.data());
  });
}

void activation_backward(CpuExec, Activation activation, const Tensor& saved, const Tensor& dy,
                         const Tensor& dx) {
  constexpr std::int64_t kGrain = 16384;
  visit_float(dy.dtype(), "activation_backward", [&]<class T>(T) {
    using C = Compute<T>;
    const T *kept = saved.data<T>(), *upstream = dy.data<T>();
    T* out = dx.data<T>();
    if (activation == Activation::none) {
      if (out != upstream) std::copy_n(upstream, dy.elements(), out);
      return;
    }
    visit_activation(activation, [&](auto function) {
      cpu::parallel_blocks(dy.elements(), kGrain, 8, [&](std::int64_t begin, std::int64_t end) {
      // relu's derivative asks for y only, those of the others for x only: `saved` is whichever it
      // is.
#pragma omp simd
        for (std::int64_t i = begin; i < end; ++i) {
          out[i] = T(function.backward(C(kept[i]), C(kept[i]), C(upstream[i])));
        }
      });
    });
  });
}

}  // namespace kette::kernels

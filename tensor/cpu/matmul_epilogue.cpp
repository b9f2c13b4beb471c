#include "tensor/cpu/matmul_epilogue.h"

#include "tensor/cpu/column_sums.h"
#include "tensor/cpu/parallel.h"
#include "tensor/cpu/scratch.h"
#include "tensor/kernels.h"

namespace kette {
namespace cpu {

template <class T>
void add_rows(const T* x, std::int64_t rows, std::int64_t width, std::int64_t ld, Compute<T>* y) {
  using C = Compute<T>;
  constexpr std::int64_t kRows = 128;
  const std::int64_t blocks = ceil_div(rows, kRows);
  if (blocks == 0) return;
  const Scratch<C> partial(blocks * width);
  parallel_blocks(rows, kRows, width, [&](std::int64_t begin, std::int64_t end) {
    C* sums = partial.data() + begin / kRows * width;
    std::fill_n(sums, width, C(0));
    for (std::int64_t row = begin; row < end; ++row) {
#pragma omp simd
      for (std::int64_t j = 0; j < width; ++j) sums[j] += C(x[row * ld + j]);
    }
  });
  add_blocks(partial.data(), blocks, width, width);
#pragma omp simd
  for (std::int64_t j = 0; j < width; ++j) y[j] += partial.data()[j];
}

template void add_rows(const float*, std::int64_t, std::int64_t, std::int64_t, float*);
template void add_rows(const double*, std::int64_t, std::int64_t, std::int64_t, double*);
template void add_rows(const BFloat16*, std::int64_t, std::int64_t, std::int64_t, float*);

}  // namespace cpu

namespace kernels {

void add_rows(CpuExec, const Tensor& x, const Tensor& y) {
  const std::int64_t width = y.elements(), rows = x.elements() / std::max<std::int64_t>(1, width);
  visit_float(x.dtype(), "add_rows", [&]<class T>(T) {
    cpu::add_rows(x.data<T>(), rows, width, width, y.data<Compute<T>>());
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

}  // namespace kernels
}  // namespace kette

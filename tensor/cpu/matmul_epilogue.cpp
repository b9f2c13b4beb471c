#include "tensor/cpu/matmul_epilogue.h"

#include "tensor/cpu/parallel.h"
#include "tensor/kernels.h"

namespace kette::kernels {

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
      // `saved` is y for relu, whose derivative needs only y, and x for the others, which need only
      // x.
#pragma omp simd
        for (std::int64_t i = begin; i < end; ++i) {
          out[i] = function.backward(C(kept[i]), C(kept[i]), C(upstream[i]));
        }
      });
    });
  });
}

}  // namespace kette::kernels

// Elementwise kernels: one thread per element.
#include "tensor/broadcast_plan.h"
#include "tensor/cuda/launch.h"
#include "tensor/emit.h"

namespace kette::kernels {
namespace {

using cuda::launch, cuda::one_thread_each;

template <class T, class Function>
__global__ void unary_elements(Function function, std::int64_t count, const T* x, T* y) {
  using C = Compute<T>;
  const std::int64_t i = cuda::index();
  if (i < count) y[i] = T(function.forward(C(x[i])));
}

template <class T, class Function>
__global__ void unary_backward_elements(Function function, std::int64_t count, const T* x,
                                        const T* y, const T* dy, T* dx) {
  using C = Compute<T>;
  const std::int64_t i = cuda::index();
  if (i < count) dx[i] = T(function.backward(C(x[i]), C(y[i]), C(dy[i])));
}

/// The operands' offsets of element i of the result.
__device__ BroadcastPlan::Starts operands_of(const BroadcastPlan& plan, std::int64_t i) {
  const BroadcastPlan::Starts row = plan.starts(i / plan.inner);
  const std::int64_t column = i % plan.inner;
  return {row.a + column * plan.a_step, row.b + column * plan.b_step};
}

template <class T, class Function>
__global__ void binary_elements(Function function, BroadcastPlan plan, std::int64_t count,
                                const T* a, const T* b, T* y) {
  using C = Compute<T>;
  const std::int64_t i = cuda::index();
  if (i >= count) return;
  const BroadcastPlan::Starts at = operands_of(plan, i);
  y[i] = T(function.forward(C(a[at.a]), C(b[at.b])));
}

/// da or db may be null.
template <class T, class Function>
__global__ void binary_backward_elements(Function function, BroadcastPlan plan, std::int64_t count,
                                         const T* a, const T* b, const T* y, const T* dy, T* da,
                                         T* db) {
  using C = Compute<T>;
  const std::int64_t i = cuda::index();
  if (i >= count) return;
  const BroadcastPlan::Starts at = operands_of(plan, i);
  const C left = C(a[at.a]), right = C(b[at.b]), result = C(y[i]), upstream = C(dy[i]);
  if (da) da[i] = T(function.backward_a(left, right, result, upstream));
  if (db) db[i] = T(function.backward_b(left, right, result, upstream));
}

}  // namespace

template <class Function>
void unary(CudaExec exec, Function function, const Tensor& x, const Tensor& y) {
  visit_float(x.dtype(), Function::name, [&]<class T>(T) {
    launch(exec, unary_elements<T, Function>, one_thread_each(x.elements()), function, x.elements(),
           x.data<T>(), y.data<T>());
  });
}

template <class Function>
void unary_backward(CudaExec exec, Function function, const Tensor& x, const Tensor& y,
                    const Tensor& dy, const Tensor& dx) {
  visit_float(x.dtype(), Function::name, [&]<class T>(T) {
    launch(exec, unary_backward_elements<T, Function>, one_thread_each(x.elements()), function,
           x.elements(), x.data<T>(), y.data<T>(), dy.data<T>(), dx.data<T>());
  });
}

template <class Function>
void binary(CudaExec exec, Function function, const Tensor& a, const Tensor& b, const Tensor& y) {
  const BroadcastPlan plan(a.shape(), b.shape(), y.shape());
  visit_float(y.dtype(), Function::name, [&]<class T>(T) {
    launch(exec, binary_elements<T, Function>, one_thread_each(y.elements()), function, plan,
           y.elements(), a.data<T>(), b.data<T>(), y.data<T>());
  });
}

template <class Function>
void binary_backward(CudaExec exec, Function function, const Tensor& a, const Tensor& b,
                     const Tensor& y, const Tensor& dy, const Tensor& da, const Tensor& db) {
  const BroadcastPlan plan(a.shape(), b.shape(), y.shape());
  visit_float(y.dtype(), Function::name, [&]<class T>(T) {
    T* left_gradient = da.defined() ? da.data<T>() : nullptr;
    T* right_gradient = db.defined() ? db.data<T>() : nullptr;
    launch(exec, binary_backward_elements<T, Function>, one_thread_each(y.elements()), function,
           plan, y.elements(), a.data<T>(), b.data<T>(), y.data<T>(), dy.data<T>(), left_gradient,
           right_gradient);
  });
}

namespace {

[[gnu::used]] auto unary_kernels = emit_unary<CudaExec>(UnaryFunctions{});
[[gnu::used]] auto binary_kernels = emit_binary<CudaExec>(BinaryFunctions{});

}  // namespace
}  // namespace kette::kernels

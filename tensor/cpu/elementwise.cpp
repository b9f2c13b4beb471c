// Elementwise kernels. Unary functions: one loop. Binary ones: an odometer over the outer axes, and
// inner rows in which each operand either advances or stands still.
#include "tensor/broadcast_plan.h"
#include "tensor/cpu/parallel.h"
#include "tensor/emit.h"

namespace kette::kernels {
namespace {

using cpu::parallel_blocks;
constexpr std::int64_t kGrain = 4096;

/// Calls row(a offset, b offset, y offset) for each inner row of a broadcast.
template <class Row>
void for_each_row(const BroadcastPlan& plan, const Row& row) {
  const std::int64_t inner = plan.inner;
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, inner));
  parallel_blocks(plan.rows(), grain, inner, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t index = begin; index < end; ++index) {
      const auto [a, b] = plan.starts(index);
      row(a, b, index * inner);
    }
  });
}

/// Runs body(a index, b index, y index) over a row, with the steps known to the compiler.
template <class Body>
void over_row(std::int64_t count, std::int64_t a_step, std::int64_t b_step, const Body& body) {
  if (a_step && b_step) {  // NOLINT(bugprone-branch-clone): loops of pragmas look alike to it
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) body(i, i, i);
  } else if (a_step) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) body(i, std::int64_t{0}, i);
  } else if (b_step) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) body(std::int64_t{0}, i, i);
  } else {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) body(std::int64_t{0}, std::int64_t{0}, i);
  }
}

}  // namespace

template <class Function>
void unary(CpuExec, Function function, const Tensor& x, const Tensor& y) {
  visit_float(x.dtype(), Function::name, [&]<class T>(T) {
    using C = Compute<T>;
    const T* in = x.data<T>();
    T* out = y.data<T>();
    parallel_blocks(x.elements(), kGrain, 4, [&](std::int64_t begin, std::int64_t end) {
#pragma omp simd
      for (std::int64_t i = begin; i < end; ++i) out[i] = function.forward(C(in[i]));
    });
  });
}

template <class Function>
void unary_backward(CpuExec, Function function, const Tensor& x, const Tensor& y, const Tensor& dy,
                    const Tensor& dx) {
  visit_float(x.dtype(), Function::name, [&]<class T>(T) {
    using C = Compute<T>;
    const T *in = x.data<T>(), *out = y.data<T>(), *upstream = dy.data<T>();
    T* result = dx.data<T>();
    parallel_blocks(x.elements(), kGrain, 4, [&](std::int64_t begin, std::int64_t end) {
#pragma omp simd
      for (std::int64_t i = begin; i < end; ++i) {
        result[i] = function.backward(C(in[i]), C(out[i]), C(upstream[i]));
      }
    });
  });
}

template <class Function>
void binary(CpuExec, Function function, const Tensor& a, const Tensor& b, const Tensor& y) {
  const BroadcastPlan plan(a.shape(), b.shape(), y.shape());
  visit_float(y.dtype(), Function::name, [&]<class T>(T) {
    using C = Compute<T>;
    const T *left = a.data<T>(), *right = b.data<T>();
    T* out = y.data<T>();
    if (y.elements() == 0) return;
    for_each_row(plan, [&](std::int64_t a_at, std::int64_t b_at, std::int64_t y_at) {
      const T *p = left + a_at, *q = right + b_at;
      T* r = out + y_at;
      over_row(plan.inner, plan.a_step, plan.b_step,
               [=](std::int64_t i, std::int64_t j, std::int64_t k) {
                 r[k] = function.forward(C(p[i]), C(q[j]));
               });
    });
  });
}

template <class Function>
void binary_backward(CpuExec, Function function, const Tensor& a, const Tensor& b, const Tensor& y,
                     const Tensor& dy, const Tensor& da, const Tensor& db) {
  const BroadcastPlan plan(a.shape(), b.shape(), y.shape());
  visit_float(y.dtype(), Function::name, [&]<class T>(T) {
    using C = Compute<T>;
    const T *left = a.data<T>(), *right = b.data<T>(), *out = y.data<T>(), *upstream = dy.data<T>();
    T* left_gradient = da.defined() ? da.data<T>() : nullptr;
    T* right_gradient = db.defined() ? db.data<T>() : nullptr;
    if (y.elements() == 0) return;
    for_each_row(plan, [&](std::int64_t a_at, std::int64_t b_at, std::int64_t y_at) {
      const T *p = left + a_at, *q = right + b_at, *r = out + y_at, *u = upstream + y_at;
      if (left_gradient) {
        T* g = left_gradient + y_at;
        over_row(plan.inner, plan.a_step, plan.b_step,
                 [=](std::int64_t i, std::int64_t j, std::int64_t k) {
                   g[k] = function.backward_a(C(p[i]), C(q[j]), C(r[k]), C(u[k]));
                 });
      }
      if (right_gradient) {
        T* g = right_gradient + y_at;
        over_row(plan.inner, plan.a_step, plan.b_step,
                 [=](std::int64_t i, std::int64_t j, std::int64_t k) {
                   g[k] = function.backward_b(C(p[i]), C(q[j]), C(r[k]), C(u[k]));
                 });
      }
    });
  });
}

namespace {

[[gnu::used]] auto unary_kernels = emit_unary<CpuExec>(UnaryFunctions{});
[[gnu::used]] auto binary_kernels = emit_binary<CpuExec>(BinaryFunctions{});

}  // namespace
}  // namespace kette::kernels

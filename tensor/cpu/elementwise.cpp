// Elementwise kernels: one loop for unary functions; for binary ones an odometer over the outer
// axes around an inner row in which each operand either advances or stands still.
#include "tensor/cpu/parallel.h"
#include "tensor/kernels.h"

namespace kette::kernels {
namespace {

using cpu::parallel_blocks;
constexpr std::int64_t kGrain = 4096;

/// How a broadcast operand moves over the output, after neighbouring axes that behave alike are
/// joined.
struct BroadcastPlan {
  Shape outer;  // the joined axes but the innermost
  std::int64_t inner = 1;
  std::array<std::int64_t, Shape::kMaxRank> a_strides{},
      b_strides{};                      // of the outer axes, 0 where broadcast
  std::int64_t a_step = 0, b_step = 0;  // 0 or 1 in the inner row

  BroadcastPlan(const Shape& a, const Shape& b, const Shape& y) {
    struct Axis {
      std::int64_t extent;
      bool a_moves, b_moves;
    };
    std::vector<Axis> axes;  // outermost first
    for (int axis = -y.rank(); axis < 0; ++axis) {
      const bool a_moves = -axis <= a.rank() && a[axis] != 1;
      const bool b_moves = -axis <= b.rank() && b[axis] != 1;
      if (y[axis] == 1) continue;
      if (!axes.empty() && axes.back().a_moves == a_moves && axes.back().b_moves == b_moves) {
        axes.back().extent *= y[axis];
      } else {
        axes.push_back({y[axis], a_moves, b_moves});
      }
    }
    if (axes.empty()) return;
    inner = axes.back().extent;
    a_step = axes.back().a_moves;
    b_step = axes.back().b_moves;
    std::int64_t a_size = a_step ? inner : 1, b_size = b_step ? inner : 1;
    for (std::size_t i = axes.size() - 1; i-- > 0;) {
      a_strides[i] = axes[i].a_moves ? a_size : 0;
      b_strides[i] = axes[i].b_moves ? b_size : 0;
      if (axes[i].a_moves) a_size *= axes[i].extent;
      if (axes[i].b_moves) b_size *= axes[i].extent;
    }
    for (std::size_t i = 0; i + 1 < axes.size(); ++i) outer.push_back(axes[i].extent);
  }

  /// Calls row(a offset, b offset, y offset) for each inner row.
  template <class Row>
  void for_each_row(const Row& row) const {
    const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, inner));
    parallel_blocks(outer.elements(), grain, inner, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t index = begin; index < end; ++index) {
        std::int64_t rest = index, a_at = 0, b_at = 0;
        for (int axis = outer.rank() - 1; axis >= 0; --axis) {
          const std::int64_t coordinate = rest % outer[axis];
          rest /= outer[axis];
          a_at += coordinate * a_strides[static_cast<std::size_t>(axis)];
          b_at += coordinate * b_strides[static_cast<std::size_t>(axis)];
        }
        row(a_at, b_at, index * inner);
      }
    });
  }
};

/// Runs body(a index, b index, y index) over a row, with the steps known to the compiler.
template <class Body>
void over_row(std::int64_t count, std::int64_t a_step, std::int64_t b_step, const Body& body) {
  if (a_step && b_step) {
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
      for (std::int64_t i = begin; i < end; ++i) out[i] = T(function.forward(C(in[i])));
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
        result[i] = T(function.backward(C(in[i]), C(out[i]), C(upstream[i])));
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
    plan.for_each_row([&](std::int64_t a_at, std::int64_t b_at, std::int64_t y_at) {
      const T *p = left + a_at, *q = right + b_at;
      T* r = out + y_at;
      over_row(plan.inner, plan.a_step, plan.b_step,
               [=](std::int64_t i, std::int64_t j, std::int64_t k) {
                 r[k] = T(function.forward(C(p[i]), C(q[j])));
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
    plan.for_each_row([&](std::int64_t a_at, std::int64_t b_at, std::int64_t y_at) {
      const T *p = left + a_at, *q = right + b_at, *r = out + y_at, *u = upstream + y_at;
      if (left_gradient) {
        T* g = left_gradient + y_at;
        over_row(plan.inner, plan.a_step, plan.b_step,
                 [=](std::int64_t i, std::int64_t j, std::int64_t k) {
                   g[k] = T(function.backward_a(C(p[i]), C(q[j]), C(r[k]), C(u[k])));
                 });
      }
      if (right_gradient) {
        T* g = right_gradient + y_at;
        over_row(plan.inner, plan.a_step, plan.b_step,
                 [=](std::int64_t i, std::int64_t j, std::int64_t k) {
                   g[k] = T(function.backward_b(C(p[i]), C(q[j]), C(r[k]), C(u[k])));
                 });
      }
    });
  });
}

namespace {

// Taking the addresses makes the compiler emit each instantiation for the linker.
template <class... F>
constexpr auto emit_unary(std::tuple<F...>) {
  return std::tuple{&unary<F>..., &unary_backward<F>...};
}
template <class... F>
constexpr auto emit_binary(std::tuple<F...>) {
  return std::tuple{&binary<F>..., &binary_backward<F>...};
}
[[gnu::used]] auto unary_kernels = emit_unary(UnaryFunctions{});
[[gnu::used]] auto binary_kernels = emit_binary(BinaryFunctions{});

}  // namespace
}  // namespace kette::kernels

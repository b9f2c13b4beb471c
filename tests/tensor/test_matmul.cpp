#include <doctest/doctest.h>
#include <omp.h>

#include <cmath>
#include <vector>

#include "tensor/cpu/blas.h"
#include "tensor/reference.h"

using namespace kette;

namespace {

Tensor random(Shape shape, std::uint64_t seed) {
  Random numbers(seed);
  std::vector<double> values(static_cast<std::size_t>(shape.elements()));
  for (double& value : values) value = numbers.uniform(-1, 1);
  return Tensor::from(values, shape);
}

struct Case {
  std::int64_t m, n, k;
  bool transpose_a = false, transpose_b = false;
};

MatmulArgs arguments(const Case& c, const Tensor& a, const Tensor& b, const Tensor& y) {
  MatmulArgs args;
  args.dtype = y.dtype();
  args.a = a.raw();
  args.b = b.raw();
  args.c = y.raw();
  args.m = c.m;
  args.n = args.ldc = c.n;
  args.k = c.k;
  args.transpose_a = c.transpose_a;
  args.transpose_b = c.transpose_b;
  args.lda = a.width();
  args.ldb = b.width();
  return args;
}

Shape shape_a(const Case& c) { return c.transpose_a ? Shape{c.k, c.m} : Shape{c.m, c.k}; }
Shape shape_b(const Case& c) { return c.transpose_b ? Shape{c.n, c.k} : Shape{c.k, c.n}; }

std::string describe(DType dtype, const Case& c) {
  std::ostringstream text;
  text << name_of(dtype) << ' ' << c.m << 'x' << c.n << 'x' << c.k << (c.transpose_a ? " T" : " N")
       << (c.transpose_b ? "T" : "N");
  return text.str();
}

double largest_gap(const Tensor& a, const Tensor& b) {
  const auto x = a.values<double>(), y = b.values<double>();
  double gap = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double here = std::abs(x[i] - y[i]);
    if (!(here <= gap)) gap = here;  // a NaN stays
  }
  return gap;
}

double tolerance(DType dtype, std::int64_t k) {
  const double epsilon = dtype == DType::f64 ? 1e-14 : dtype == DType::f32 ? 1e-6 : 8e-3;
  return epsilon * (4 + std::sqrt(static_cast<double>(k)));
}

/// Sides around the tile, block and part sizes.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> list;
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 1, 1},
                                      {3, 5, 7},
                                      {13, 33, 257},
                                      {97, 31, 64},
                                      {100, 515, 20},
                                      {5, 300, 130},
                                      {40, 24, 1100}}) {
          list.push_back({m, n, k, transpose_a, transpose_b});
        }
      }
    }
    return list;
  }();
  return all;
}

}  // namespace

TEST_CASE("matmul equals the reference for every type, transpose and odd size") {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    for (const Case& c : cases()) {
      CAPTURE(describe(dtype, c));
      const Tensor a = random(shape_a(c), 1).to(dtype), b = random(shape_b(c), 2).to(dtype);
      const Tensor y = Tensor::full({c.m, c.n}, std::nan(""), dtype);
      kernels::matmul(CpuExec{}, arguments(c, a, b, y));
      const Tensor expected =
          reference::matmul(a.to(DType::f64), b.to(DType::f64), c.transpose_a, c.transpose_b);
      CHECK(largest_gap(y, expected) <= tolerance(dtype, c.k));
    }
  }
}

TEST_CASE("matmul applies alpha, beta, bias and activation, and keeps the pre-activation") {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    for (const Case& c :
         {Case{30, 70, 40}, Case{4, 40, 20, false, true}, Case{20, 9, 1030, true}}) {
      CAPTURE(describe(dtype, c));
      const Tensor a = random(shape_a(c), 1).to(dtype), b = random(shape_b(c), 2).to(dtype);
      const Tensor bias = random({c.n}, 3).to(dtype), old = random({c.m, c.n}, 4).to(dtype);
      const Tensor y = old.clone(), before = Tensor::zeros({c.m, c.n}, dtype);
      MatmulArgs args = arguments(c, a, b, y);
      args.alpha = 0.5;
      args.beta = 2;
      args.bias = bias.raw();
      args.activation = Activation::gelu;
      args.pre_activation = before.raw();
      kernels::matmul(CpuExec{}, args);
      const Tensor product =
          reference::matmul(a.to(DType::f64), b.to(DType::f64), c.transpose_a, c.transpose_b);
      const auto sum = product.values<double>(), add = bias.values<double>(),
                 kept = old.values<double>(), pre = before.values<double>(),
                 out = y.values<double>();
      double gap = 0;
      for (std::size_t i = 0; i < sum.size(); ++i) {
        const double z = 0.5 * sum[i] + 2 * kept[i] + add[i % static_cast<std::size_t>(c.n)];
        gap = std::max({gap, std::abs(pre[i] - z), std::abs(out[i] - Gelu{}.reference(pre[i]))});
      }
      CHECK(gap <= tolerance(dtype, c.k) * 4);
    }
  }
}

TEST_CASE("matmul of nothing: empty sides, and k = 0 leaves beta * C") {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    for (const bool transposed : {false, true}) {
      const Case c{3, 4, 0, false, transposed};
      const Tensor a = Tensor::zeros(shape_a(c), dtype), b = Tensor::zeros(shape_b(c), dtype);
      const Tensor y = Tensor::full({3, 4}, 3, dtype);
      MatmulArgs args = arguments(c, a, b, y);
      args.beta = 2;
      kernels::matmul(CpuExec{}, args);
      CHECK(y.values<double>() == std::vector<double>(12, 6.0));
      args.beta = 0;
      kernels::matmul(CpuExec{}, args);
      CHECK(y.values<double>() == std::vector<double>(12, 0.0));
      args.m = 0;
      kernels::matmul(CpuExec{}, args);
      args.m = 3;
      args.n = 0;
      kernels::matmul(CpuExec{}, args);
    }
  }
}

TEST_CASE(
    "matmul of a batch with strides and leading dimensions, outside and inside a parallel region") {
  // Heads of a fused projection: [rows, heads * width], head h at column h * width.
  const std::int64_t rows = 11, heads = 3, width = 5;
  const Tensor x = random({rows, heads * width}, 1).to(DType::f32);
  const Tensor y = Tensor::zeros({heads, rows, rows}), nested = Tensor::zeros({heads, rows, rows});
  MatmulArgs args = arguments({rows, rows, width, false, true}, x, x, y);
  args.batch = heads;
  args.batch_stride_a = args.batch_stride_b = width;
  args.batch_stride_c = rows * rows;
  kernels::matmul(CpuExec{}, args);
  args.c = nested.raw();
#pragma omp parallel num_threads(2)
#pragma omp single
  kernels::matmul(CpuExec{}, args);
  CHECK(y.values<float>() == nested.values<float>());
  const auto all = x.values<double>();
  for (std::int64_t h = 0; h < heads; ++h) {
    std::vector<double> head;
    for (std::int64_t i = 0; i < rows * width; ++i) {
      head.push_back(all[static_cast<std::size_t>((i / width * heads + h) * width + i % width)]);
    }
    const Tensor one = Tensor::from(head, {rows, width});
    CHECK(largest_gap(y.slice(h, h + 1), reference::matmul(one, one, false, true)) < 1e-5);
  }
}

TEST_CASE("matmul has the same bits for any number of threads, and a row's in any company") {
  const int threads = omp_get_max_threads();
  for (const Case& c : {Case{300, 200, 150}, Case{300, 600, 64, false, true},
                        Case{70, 90, 2000, true}, Case{7, 900, 300, false, true}}) {
    const Tensor a = random(shape_a(c), 1).to(DType::f32), b = random(shape_b(c), 2).to(DType::f32);
    std::vector<std::vector<float>> results;
    for (const int count : {1, 2, 3}) {
      omp_set_num_threads(count);
      const Tensor y = Tensor::zeros({c.m, c.n});
      kernels::matmul(CpuExec{}, arguments(c, a, b, y));
      results.push_back(y.values<float>());
    }
    omp_set_num_threads(threads);
    CHECK(results[0] == results[1]);
    CHECK(results[0] == results[2]);
    if (c.transpose_a) continue;
    const Tensor last = Tensor::zeros({1, c.n});
    kernels::matmul(CpuExec{},
                    arguments({1, c.n, c.k, false, c.transpose_b}, a.slice(c.m - 1, c.m), b, last));
    const std::size_t width = static_cast<std::size_t>(c.n);
    CHECK(last.values<float>() ==
          std::vector<float>(results[0].end() - static_cast<std::ptrdiff_t>(width),
                             results[0].end()));
  }
}

TEST_CASE("matmul names sides it cannot take") {
  MatmulArgs args;
  args.m = args.n = 1;
  args.k = std::int64_t{1} << 31;
  CHECK_THROWS_WITH_AS(kernels::matmul(CpuExec{}, args),
                       doctest::Contains("matmul: expected sides below 2^31"), Error);
}

TEST_CASE("add_rows sums columns; activation_backward multiplies by the derivative") {
  const Tensor x = random({301, 7}, 1).to(DType::f32), sums = Tensor::full({7}, 1);
  kernels::add_rows(CpuExec{}, x, sums);
  const auto values = x.values<double>(), got = sums.values<double>();
  for (std::size_t j = 0; j < 7; ++j) {
    double sum = 1;
    for (std::size_t i = 0; i < 301; ++i) sum += values[i * 7 + j];
    CHECK(got[j] == doctest::Approx(sum).epsilon(1e-5));
  }
  const Tensor dy = random({301, 7}, 2).to(DType::f64), at = random({301, 7}, 3), dx = dy.clone();
  kernels::activation_backward(CpuExec{}, Activation::silu, at, dx, dx);
  const auto slope = dx.values<double>(), upstream = dy.values<double>(),
             points = at.values<double>();
  for (std::size_t i = 0; i < slope.size(); ++i) {
    const double h = 1e-6;
    const double difference =
        (Silu{}.reference(points[i] + h) - Silu{}.reference(points[i] - h)) / (2 * h);
    CHECK(slope[i] == doctest::Approx(upstream[i] * difference).epsilon(1e-7));
  }
}

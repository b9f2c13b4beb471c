#include <doctest/doctest.h>
#include <omp.h>

#include <cmath>
#include <span>
#include <sstream>
#include <vector>

#include "tensor/cpu/blas.h"
#include "tensor/cpu/product.h"
#include "tests/devices.h"
#include "tests/gap.h"
#include "tests/random_tensor.h"
#include "tests/reference.h"

using namespace kette;

namespace {

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

void multiply(const MatmulArgs& args, Device device) {
  on(device, [&](auto exec) { kernels::matmul(exec, args); });
}

Shape shape_a(const Case& c) { return c.transpose_a ? Shape{c.k, c.m} : Shape{c.m, c.k}; }
Shape shape_b(const Case& c) { return c.transpose_b ? Shape{c.n, c.k} : Shape{c.k, c.n}; }

std::string describe(Device device, DType dtype, const Case& c) {
  std::ostringstream text;
  text << device.str() << ' ' << name_of(dtype) << ' ' << c.m << 'x' << c.n << 'x' << c.k
       << (c.transpose_a ? " T" : " N") << (c.transpose_b ? "T" : "N");
  return text.str();
}

double tolerance(Device device, DType dtype, std::int64_t k) {
  const double f32 = device.kind == DeviceKind::cpu ? 1e-6 : 3e-6;  // a GPU adds one by one
  const double epsilon = dtype == DType::f64 ? 1e-14 : dtype == DType::f32 ? f32 : 8e-3;
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

/// The ways to multiply bf16 without widening it that can be tried here.
std::vector<cpu::Bf16Products> narrow_products() {
  std::vector<cpu::Bf16Products> ways;
  for (const auto way : {cpu::Bf16Products::in_pairs, cpu::Bf16Products::in_squares}) {
    if (cpu::can_multiply(way)) ways.push_back(way);
  }
  return ways;
}

}  // namespace

TEST_CASE("matmul equals the reference for every type, transpose and odd size") {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    for (const Case& c : cases()) {
      const Tensor a = random(shape_a(c), 1).to(dtype), b = random(shape_b(c), 2).to(dtype);
      const Tensor expected =
          reference::matmul(a.to(DType::f64), b.to(DType::f64), c.transpose_a, c.transpose_b);
      for (const Device device : test_devices()) {
        CAPTURE(describe(device, dtype, c));
        const Tensor x = a.to(device), w = b.to(device);
        const Tensor y = Tensor::full({c.m, c.n}, std::nan(""), dtype).to(device);
        multiply(arguments(c, x, w, y), device);
        CHECK(largest_gap(y, expected) <= tolerance(device, dtype, c.k));
      }
    }
  }
}

TEST_CASE(
    "matmul of bf16 in pairs and in squares equals the reference, and has the same bits on any number of threads") {
  if (narrow_products().size() < 2) {
    MESSAGE("in part: pairs need AVX512-BF16, squares kernels for AVX-512");
  }
  for (const Case& c : cases()) {
    const Tensor a = random(shape_a(c), 1).to(DType::bf16),
                 b = random(shape_b(c), 2).to(DType::bf16);
    const Tensor expected =
        reference::matmul(a.to(DType::f64), b.to(DType::f64), c.transpose_a, c.transpose_b);
    for (double& element : std::span(expected.data<double>(), expected.elements())) {
      element = 2 * element + 1.5;
    }
    const auto view = [](const Tensor& x, bool transpose) {
      const MatrixView<const BFloat16> rows{x.data<BFloat16>(), x.width()};
      return transpose ? rows.transposed() : rows;
    };
    for (const cpu::Bf16Products way : narrow_products()) {
      CAPTURE(describe({}, DType::bf16, c));
      CAPTURE(static_cast<int>(way));
      const auto multiply_on = [&](int threads) {
        const int before = omp_get_max_threads();
        omp_set_num_threads(threads);
        Tensor y = Tensor::full({c.m, c.n}, 0.5);
        cpu::product<BFloat16>({c.m, c.n, c.k}, 2, view(a, c.transpose_a), view(b, c.transpose_b),
                               3, y.data<float>(), c.n, {}, way);
        omp_set_num_threads(before);
        return y;
      };
      const Tensor y = multiply_on(1);
      CHECK(largest_gap(y, expected) <= 2 * tolerance({}, DType::f32, c.k));
      CHECK(multiply_on(3).values<float>() == y.values<float>());
    }
  }
}

TEST_CASE("a product whose C nobody keeps finishes the blocks of one that is kept, however deep") {
  for (const Case& c : {Case{200, 33, 70}, Case{30, 600, 0}, Case{13, 540, 8200}}) {
    CAPTURE(describe({}, DType::bf16, c));
    const Tensor a = random(shape_a(c), 1).to(DType::bf16),
                 b = random(shape_b(c), 2).to(DType::bf16);
    for (const auto bf16 :
         {cpu::Bf16Products::widened, cpu::Bf16Products::in_pairs, cpu::Bf16Products::in_squares}) {
      if (!cpu::can_multiply(bf16)) continue;
      const Tensor kept = Tensor::full({c.m, c.n}, std::nan("")),
                   seen = Tensor::full({c.m, c.n}, std::nan(""));
      const auto multiply_into = [&](float* y, const cpu::FinishBlock& finish) {
        cpu::product<BFloat16>({c.m, c.n, c.k}, 2, {a.data<BFloat16>(), c.k},
                               {b.data<BFloat16>(), c.n}, 0, y, c.n, finish, bf16);
      };
      multiply_into(kept.data<float>(), {});
      multiply_into(nullptr, [&](const cpu::ProductBlock& block) {
        for (std::int64_t i = 0; i < block.rows; ++i) {
          std::copy_n(block.values + i * block.ld, block.columns,
                      seen.data<float>() + (block.row + i) * c.n + block.column);
        }
      });
      CHECK(seen.values<float>() == kept.values<float>());
    }
  }
}

TEST_CASE("matmul applies alpha, beta, bias and activation, and keeps the pre-activation") {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    for (const Case& c : {Case{30, 70, 40}, Case{4, 40, 20, false, true}, Case{20, 9, 1030, true},
                          Case{33, 48, 0}}) {
      const Tensor a = random(shape_a(c), 1).to(dtype), b = random(shape_b(c), 2).to(dtype);
      const Tensor bias = random({c.n}, 3).to(dtype), old = random({c.m, c.n}, 4).to(dtype);
      const auto sum =
          reference::matmul(a.to(DType::f64), b.to(DType::f64), c.transpose_a, c.transpose_b)
              .values<double>();
      const auto add = bias.values<double>(), kept = old.values<double>();
      for (const Device device : test_devices()) {
        CAPTURE(describe(device, dtype, c));
        const Tensor x = a.to(device), w = b.to(device), bias_there = bias.to(device);
        // Every activation with and without beta, bias and the value before it.
        for (int choice = 0; choice < 32; ++choice) {
          CAPTURE(choice);
          const Tensor y = old.clone().to(device);
          const Tensor before = Tensor::zeros({c.m, c.n}, dtype, device);
          MatmulArgs args = arguments(c, x, w, y);
          args.alpha = 0.5;
          args.beta = choice & 1 ? 2 : 0;
          args.bias = choice & 2 ? bias_there.raw() : nullptr;
          args.pre_activation = choice & 4 ? before.raw() : nullptr;
          args.activation = static_cast<Activation>(choice >> 3);
          multiply(args, device);
          const auto pre = before.values<double>(), out = y.values<double>();
          double gap = 0;
          for (std::size_t i = 0; i < sum.size(); ++i) {
            const double z = 0.5 * sum[i] + args.beta * kept[i] + (args.bias ? add[i % c.n] : 0);
            const double at = args.pre_activation ? pre[i] : z;
            double expected = at;
            visit_activation(args.activation,
                             [&](auto function) { expected = function.reference(at); });
            gap = larger_gap(gap, larger_gap(std::abs(at - z), std::abs(out[i] - expected)));
          }
          CHECK(gap <= tolerance(device, dtype, c.k) * 4);
        }
      }
    }
  }
}

TEST_CASE("matmul of nothing: empty sides, and k = 0 leaves beta * C") {
  for (const Device device : test_devices()) {
    for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
      for (const bool transposed : {false, true}) {
        const Case c{3, 4, 0, false, transposed};
        const Tensor a = Tensor::zeros(shape_a(c), dtype, device);
        const Tensor b = Tensor::zeros(shape_b(c), dtype, device);
        const Tensor y = Tensor::full({3, 4}, 3, dtype, device);
        MatmulArgs args = arguments(c, a, b, y);
        args.beta = 2;
        multiply(args, device);
        CHECK(y.values<double>() == std::vector<double>(12, 6.0));
        args.beta = 0;
        multiply(args, device);
        CHECK(y.values<double>() == std::vector<double>(12, 0.0));
        args.m = 0;
        multiply(args, device);
        args.m = 3;
        args.n = 0;
        multiply(args, device);
      }
    }
  }
}

TEST_CASE("matmul in TF32 only where it is allowed, and of f32 only") {
  const Case c{33, 40, 65};
  for (const Device device : test_devices()) {
    on(device, [&]<class Exec>(Exec exec) {
      if constexpr (!std::is_same_v<Exec, CpuExec>) {
        for (const DType dtype : {DType::f32, DType::f64}) {
          const Tensor a = random(shape_a(c), 1).to(dtype), b = random(shape_b(c), 2).to(dtype);
          const Tensor expected = reference::matmul(a.to(DType::f64), b.to(DType::f64));
          const Tensor x = a.to(device), w = b.to(device);
          const Tensor y = Tensor::zeros({c.m, c.n}, dtype, device);
          kernels::allow_tf32(exec, true);
          kernels::matmul(exec, arguments(c, x, w, y));
          kernels::allow_tf32(exec, false);
          CHECK(largest_gap(y, expected) <= (dtype == DType::f32 ? 2e-2 : 1e-12));
          kernels::matmul(exec, arguments(c, x, w, y));
          CHECK(largest_gap(y, expected) <= tolerance(device, dtype, c.k));
        }
      }
    });
  }
}

TEST_CASE(
    "matmul of a batch with strides and leading dimensions, outside and inside a parallel region") {
  // Heads of a fused projection: [rows, heads * width], head h at column h * width.
  const std::int64_t rows = 11, heads = 3, width = 5;
  const Tensor x = random({rows, heads * width}, 1).to(DType::f32), bias = random({rows}, 2);
  const auto all = x.values<double>();
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const Tensor there = x.to(device), bias_there = bias.to(DType::f32).to(device);
    const Tensor y = Tensor::zeros({heads, rows, rows}, DType::f32, device);
    const Tensor nested = Tensor::zeros(y.shape(), DType::f32, device);
    MatmulArgs args = arguments({rows, rows, width, false, true}, there, there, y);
    args.batch = heads;
    args.batch_stride_a = args.batch_stride_b = width;
    args.batch_stride_c = rows * rows;
    args.bias = bias_there.raw();
    args.activation = Activation::silu;
    multiply(args, device);
    args.c = nested.raw();
#pragma omp parallel num_threads(2)
#pragma omp single
    multiply(args, device);
    CHECK(y.values<float>() == nested.values<float>());
    for (std::int64_t h = 0; h < heads; ++h) {
      std::vector<double> head;
      for (std::int64_t i = 0; i < rows * width; ++i) {
        head.push_back(all[(i / width * heads + h) * width + i % width]);
      }
      const Tensor one = Tensor::from(head, {rows, width});
      const Tensor expected = reference::matmul(one, one, false, true);
      for (std::int64_t i = 0; i < rows * rows; ++i) {
        double& z = expected.data<double>()[i];
        z = Silu{}.reference(z + bias.data<double>()[i % rows]);
      }
      CHECK(largest_gap(y.slice(h, h + 1), expected) < 1e-5);
    }
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
  for (const Device device : test_devices()) {
    CHECK_THROWS_WITH_AS(multiply(args, device),
                         doctest::Contains("matmul: expected sides below 2^31"), Error);
  }
}

TEST_CASE("add_rows sums columns") {
  for (const Shape& shape : {Shape{301, 7}, Shape{1, 65}, Shape{70, 40}, Shape{0, 3}}) {
    const Tensor x = random(shape, 1).to(DType::f32);
    const auto values = x.values<double>();
    const auto rows = static_cast<std::size_t>(shape[0]),
               width = static_cast<std::size_t>(shape[1]);
    for (const Device device : test_devices()) {
      CAPTURE(device.str());
      const Tensor sums = Tensor::full({shape[1]}, 1, DType::f32, device);
      on(device, [&](auto exec) { kernels::add_rows(exec, x.to(device), sums); });
      const auto got = sums.values<double>();
      for (std::size_t j = 0; j < width; ++j) {
        double sum = 1;
        for (std::size_t i = 0; i < rows; ++i) sum += values[i * width + j];
        CHECK(got[j] == doctest::Approx(sum).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("activation_backward multiplies by the derivative") {
  const Tensor dy = random({301, 7}, 2), at = random({301, 7}, 3);
  const auto upstream = dy.values<double>(), points = at.values<double>();
  for (const Device device : test_devices()) {
    for (const std::int64_t rows : {301, 300}) {  // not whole vectors, and whole ones
      CAPTURE(device.str());
      const Tensor dx = dy.clone().to(device).slice(0, rows);
      on(device, [&](auto exec) {
        kernels::activation_backward(exec, Activation::silu, at.to(device).slice(0, rows), dx, dx);
      });
      const auto slope = dx.values<double>();
      for (std::size_t i = 0; i < slope.size(); ++i) {
        const double h = 1e-6;
        const double difference =
            (Silu{}.reference(points[i] + h) - Silu{}.reference(points[i] - h)) / (2 * h);
        CHECK(slope[i] == doctest::Approx(upstream[i] * difference).epsilon(1e-7));
      }
      const Tensor kept = Tensor::zeros(dx.shape(), DType::f64, device);
      on(device,
         [&](auto exec) { kernels::activation_backward(exec, Activation::none, dx, dx, kept); });
      CHECK(kept.values<double>() == slope);
    }
  }
}

// Sums that undo a broadcast, maxima of rows, the norm, and the search for a NaN.
#include <cmath>
#include <numeric>
#include <vector>

#include "tensor/cpu/column_sums.h"
#include "tensor/cpu/parallel.h"
#include "tensor/kernels.h"
#include "tensor/sum_axes.h"

namespace kette::kernels {
namespace {

using cpu::parallel_blocks;
constexpr std::int64_t kGrain = 4096;

/// x as [outer, reduced, inner], summed over the middle axis; one call per run of reduced axes.
template <class T>
void sum_middle(const T* x, Compute<T>* y, std::int64_t outer, std::int64_t reduced,
                std::int64_t inner) {
  using C = Compute<T>;
  if (inner == 1) {
    // In f64: one sum of millions of numbers in f32 would lose its last digits.
    const std::int64_t parts = std::max<std::int64_t>(1, cpu::ceil_div(reduced, kGrain));
    std::vector<double> sums(static_cast<std::size_t>(outer * parts));
    const auto add_part = [&](std::int64_t i) {
      const std::int64_t row = i / parts, first = i % parts * kGrain,
                         count = std::min(kGrain, reduced - first);
      const T* in = x + row * reduced + first;
      double total = 0;
#pragma omp simd reduction(+ : total)
      for (std::int64_t j = 0; j < count; ++j) total += double(C(in[j]));
      sums[i] = total;
    };
    const std::int64_t grain = parts > 1 ? 1 : 16;
    parallel_blocks(outer * parts, grain, std::min(reduced, kGrain),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) add_part(i);
                    });
    for (std::int64_t row = 0; row < outer; ++row) {
      double total = 0;
      for (std::int64_t part = 0; part < parts; ++part) total += sums[row * parts + part];
      y[row] = C(total);
    }
    return;
  }
  // A [4096, 128] column sum keeps every thread busy.
  constexpr std::int64_t kRows = 64;
  cpu::sum_rows<C>(
      outer, reduced, kRows, inner, inner,
      [&](std::int64_t matrix, std::int64_t begin, std::int64_t end, C* sums) {
        cpu::add_to_sums(x + (matrix * reduced + begin) * inner, end - begin, inner, inner, sums);
      },
      [&](std::int64_t matrix, const C* sums) {
        for (std::int64_t j = 0; j < inner; ++j) y[matrix * inner + j] = sums[j];
      });
}

/// The first of equals, and the first NaN if there is one.
template <class T>
std::int64_t column_of_largest(const T* row, std::int64_t width) {
  using C = Compute<T>;
  C largest(row[0]);
  int nans = 0;
#pragma omp simd reduction(max : largest) reduction(| : nans)
  for (std::int64_t j = 0; j < width; ++j) {
    const C value(row[j]);
    largest = scalar::max(largest, value);
    nans |= value != value;
  }
  const auto is_sought = [&](C value) { return nans ? value != value : value == largest; };
  std::int64_t column = 0;
  while (!is_sought(C(row[column]))) ++column;
  return column;
}

}  // namespace

void add_rows(CpuExec, const Tensor& x, const Tensor& y) {
  const std::int64_t width = y.elements(), rows = x.elements() / std::max<std::int64_t>(1, width);
  visit_float(x.dtype(), "add_rows", [&]<class T>(T) {
    cpu::add_rows(x.data<T>(), rows, width, width, y.data<Compute<T>>());
  });
}

void sum_to(CpuExec, const Tensor& x, const Tensor& y) {
  sum_axis_runs(x, y, [](const Tensor& from, const Tensor& to, const AxisRun& run) {
    visit_float(from.dtype(), "sum", [&]<class T>(T) {
      sum_middle(from.data<T>(), to.data<Compute<T>>(), run.outer, run.reduced, run.inner);
    });
  });
}

void max_last(CpuExec, const Tensor& x, const Tensor& y, const Tensor& columns) {
  const std::int64_t width = x.width();
  visit_float(x.dtype(), "max", [&]<class T>(T) {
    const T* in = x.data<T>();
    T* out = y.data<T>();
    std::int32_t* column = columns.data<std::int32_t>();
    parallel_blocks(x.rows(), 16, width, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t best = column_of_largest(in + row * width, width);
        out[row] = in[row * width + best];
        column[row] = static_cast<std::int32_t>(best);
      }
    });
  });
}

void squares_of_blocks(CpuExec, const Tensor& x, const Tensor& sums) {
  visit_float(x.dtype(), "squares_of_blocks", [&]<class T>(T) {
    const T* in = x.data<T>();
    double* result = sums.data<double>();
    parallel_blocks(x.elements(), kSquaresBlock, 2, [&](std::int64_t begin, std::int64_t end) {
      const T* block = in + begin;  // GCC vectorises only a loop from 0
      double total = 0;
#pragma omp simd reduction(+ : total)
      for (std::int64_t i = 0; i < end - begin; ++i) {
        const double value = static_cast<double>(Compute<T>(block[i]));
        total += value * value;
      }
      result[begin / kSquaresBlock] = total;
    });
  });
}

void sum_of_blocks(CpuExec, const Tensor& sums, const Tensor& sum) {
  const double* blocks = sums.data<double>();
  *sum.data<double>() = std::accumulate(blocks, blocks + sums.elements(), 0.0);
}

std::optional<std::int64_t> first_non_finite(CpuExec, const Tensor& x) {
  return visit_float(x.dtype(), "first_non_finite", [&]<class T>(T) -> std::optional<std::int64_t> {
    const T* in = x.data<T>();
    const auto is_bad = [&](std::int64_t i) { return !std::isfinite(Compute<T>(in[i])); };
    std::vector<char> bad(static_cast<std::size_t>(cpu::ceil_div(x.elements(), kGrain)));
    parallel_blocks(x.elements(), kGrain, 1, [&](std::int64_t begin, std::int64_t end) {
      int found = 0;
#pragma omp simd reduction(| : found)
      for (std::int64_t i = begin; i < end; ++i) found |= is_bad(i);
      bad[begin / kGrain] = found != 0;
    });
    const auto first = std::find(bad.begin(), bad.end(), 1);
    if (first == bad.end()) return std::nullopt;
    std::int64_t at = (first - bad.begin()) * kGrain;
    while (!is_bad(at)) ++at;
    return at;
  });
}

}  // namespace kette::kernels

// Products with prepacked weights: panels of kPanel rows of W, transposed, so that the product
// reads memory in order. Compared with packing in each product, this saves copying, which for a few
// rows costs as much as multiplying.
#include <omp.h>

#include <algorithm>

#include "tensor/cpu/int8_rows.h"
#include "tensor/cpu/matmul_epilogue.h"
#include "tensor/cpu/parallel.h"
#include "tensor/cpu/prepacked_tile.h"
#include "tensor/kernels.h"

namespace kette::kernels {
namespace {

using cpu::kPanel;

std::int64_t panel_width(DType panels) { return panels == DType::int8 ? cpu::kInt8Panel : kPanel; }

/// Rows of W become columns of the panels.
template <class Weight>
void pack_rows(const Tensor& matrix, Weight* panels) {
  const std::int64_t in = matrix.width();
  const float* source = matrix.data<float>();
  cpu::parallel_blocks(matrix.rows(), kPanel, in, [&](std::int64_t begin, std::int64_t end) {
    // A run of columns at a time: its lines of the panel stay in the L1 cache until full.
    constexpr std::int64_t kRun = 32;
    for (std::int64_t run = 0; run < in; run += kRun) {
      for (std::int64_t row = begin; row < end; ++row) {
        Weight* to = panels + row / kPanel * in * kPanel + cpu::place_of<Weight>(row % kPanel);
        for (std::int64_t p = run; p < std::min(in, run + kRun); ++p) {
          to[p * kPanel] = source[row * in + p];
        }
      }
    }
  });
}

void copy_rows(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride,
               std::int64_t rows, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    std::copy_n(from + i * from_stride, columns, to + i * to_stride);
  }
}

void activate(Activation activation, float* values, std::int64_t count) {
  if (activation == Activation::none) return;
  visit_activation(activation, [&](auto function) {
#pragma omp simd
    for (std::int64_t j = 0; j < count; ++j) values[j] = function.forward(values[j]);
  });
}

struct Panels {
  std::int64_t begin, end;
};

/// Some rows of y, in the columns of some panels.
template <class Weight>
void multiply_block(const PrepackedLinearArgs& args, const Weight* prepacked, Panels panels,
                    std::int64_t row, std::int64_t rows) {
  const PrepackedWeight& weight = *args.weight;
  const std::int64_t depth = weight.in, out = weight.out;
  const float* x = args.x.data<float>() + row * depth;
  float* y = args.y.data<float>() + row * out;
  const float* bias = weight.bias.data<float>();
  for (std::int64_t begin = 0; begin < depth; begin += cpu::kBlockDepth) {
    const std::int64_t run = std::min(cpu::kBlockDepth, depth - begin);
    for (std::int64_t panel = panels.begin; panel < panels.end; ++panel) {
      const std::int64_t column = panel * kPanel;
      const std::int64_t columns = std::min<std::int64_t>(kPanel, out - column);
      const Weight* part = prepacked + column * depth + begin * kPanel;
      for (std::int64_t i = 0; i < rows; i += cpu::kPanelRows) {
        const std::int64_t count = std::min<std::int64_t>(cpu::kPanelRows, rows - i);
        float* target = y + i * out + column;
        // A panel wider than the rest of y is computed in a buffer.
        alignas(64) float aside[cpu::kPanelRows * kPanel];
        const bool fits = columns == kPanel;
        if (!fits && begin > 0) copy_rows(target, out, aside, kPanel, count, columns);
        float* sums = fits ? target : aside;
        const std::int64_t stride = fits ? out : kPanel;
        using Rows = RowsView<const float>;
        const Rows start = begin == 0 ? Rows{bias + column, 0} : Rows{sums, stride};
        cpu::multiply_panel(count, run, {x + i * depth + begin, depth}, part, start, sums, stride);
        if (!fits) copy_rows(aside, kPanel, target, out, count, columns);
        if (begin + run < depth) continue;
        for (std::int64_t r = 0; r < count; ++r)
          activate(args.activation, target + r * out, columns);
      }
    }
  }
}

/// The same in int8.
void multiply_block(const PrepackedLinearArgs& args, const cpu::RoundedRows& x, Panels panels,
                    std::int64_t row, std::int64_t rows) {
  const std::int64_t out = args.weight->out;
  float* y = args.y.data<float>() + row * out;
  for (std::int64_t column = panels.begin * cpu::kInt8Panel;
       column < std::min(out, panels.end * cpu::kInt8Panel); column += cpu::kInt8Panel) {
    const std::int64_t columns = std::min(cpu::kInt8Panel, out - column);
    cpu::multiply_int8_panel(rows, x.from(row), *args.weight, column, columns, y + column, out);
    for (std::int64_t i = 0; i < rows; ++i)
      activate(args.activation, y + i * out + column, columns);
  }
}

/// weights: what multiply_block() gets of W, or of x.
template <class Weights>
void multiply(const PrepackedLinearArgs& args, const Weights& weights) {
  const PrepackedWeight& weight = *args.weight;
  const std::int64_t rows = args.x.rows();
  // One thread takes all of W; with several threads each has its own panels and reads all of x.
  const std::int64_t panels = cpu::ceil_div(weight.out, panel_width(weight.panels.dtype()));
  const std::int64_t ranges =
      omp_in_parallel() ? 1 : std::min<std::int64_t>(panels, omp_get_max_threads());
  const std::int64_t cost = rows * weight.in * weight.out / ranges / cpu::kMultiplyAddsPerOperation;
  cpu::parallel_blocks(ranges, 1, cost, [&](std::int64_t range, std::int64_t) {
    const Panels part{panels * range / ranges, panels * (range + 1) / ranges};
    for (std::int64_t row = 0; row < rows; row += cpu::kBlockRows) {
      multiply_block(args, weights, part, row, std::min(cpu::kBlockRows, rows - row));
    }
  });
}

}  // namespace

PrepackedWeight prepack_linear(CpuExec, const Tensor& matrix, const Tensor& bias, DType panels) {
  PrepackedWeight prepacked = PrepackedWeight::sizes_of(matrix, bias, panels);
  const std::int64_t width = panel_width(panels), count = cpu::ceil_div(prepacked.out, width);
  prepacked.bias = Tensor::zeros({count * width});
  if (bias.defined()) {
    prepacked.bias.view(0, {prepacked.out}).copy_from(bias.to(DType::f32));
  }
  const Tensor values = matrix.to(DType::f32);
  if (panels == DType::int8) {
    cpu::int8_path();  // throws for an unknown KETTE_INT8 before there are threads
    prepacked.panels = Tensor::empty({count, cpu::round_up(prepacked.in, 4), width}, DType::int8);
    prepacked.scales = Tensor::zeros({count * width});
    cpu::pack_int8(values, prepacked);
    return prepacked;
  }
  prepacked.panels = Tensor::zeros({count, prepacked.in, width}, panels);
  prepacked.visit_panels([&](auto* to) { pack_rows(values, to); });
  return prepacked;
}

void prepacked_linear(CpuExec, const PrepackedLinearArgs& args) {
  args.check();
  const PrepackedWeight& weight = *args.weight;
  if (weight.panels.dtype() == DType::int8) return multiply(args, cpu::RoundedRows(args.x));
  weight.visit_panels([&](const auto* panels) { multiply(args, panels); });
}

}  // namespace kette::kernels

// Products with weights that were packed once: panels of kPanel rows of W, transposed, so that the
// product reads memory in order. Beside a product that packs as it goes this saves the packing,
// which for a few rows costs as much as the multiplying.
#include <algorithm>

#include "tensor/cpu/matmul_epilogue.h"
#include "tensor/cpu/packed_tile.h"
#include "tensor/cpu/parallel.h"
#include "tensor/kernels.h"

namespace kette::kernels {
namespace {

using cpu::kPanel;

std::int64_t panels_of(std::int64_t out) { return (out + kPanel - 1) / kPanel; }

/// Rows of W become columns [first, first + rows) of the panels.
void pack_rows(const Tensor& matrix, std::int64_t first, float* panels) {
  const std::int64_t in = matrix.width();
  const float* source = matrix.data<float>();
  cpu::parallel_blocks(matrix.rows(), kPanel, in, [&](std::int64_t begin, std::int64_t end) {
    // A run of columns at a time: its lines of the panel stay in the first-level cache until they
    // are full.
    constexpr std::int64_t kRun = 32;
    for (std::int64_t run = 0; run < in; run += kRun) {
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t column = first + row;
        float* to = panels + column / kPanel * in * kPanel + column % kPanel;
        for (std::int64_t p = run; p < std::min(in, run + kRun); ++p) {
          to[p * kPanel] = source[row * in + p];
        }
      }
    }
  });
}

void activate(Activation activation, float* values, std::int64_t count) {
  if (activation == Activation::none) return;
  cpu::visit_activation(activation, [&](auto function) {
#pragma omp simd
    for (std::int64_t j = 0; j < count; ++j) values[j] = function.forward(values[j]);
  });
}

}  // namespace

PackedWeight pack_linear(CpuExec, const std::vector<Tensor>& matrices,
                         const std::vector<Tensor>& biases) {
  KETTE_CHECK(!matrices.empty() && (biases.empty() || biases.size() == matrices.size()),
              "pack_linear: expected matrices with a bias each or none, given ", matrices.size(),
              " matrices and ", biases.size(), " biases");
  PackedWeight packed;
  packed.in = matrices.front().width();
  for (const Tensor& matrix : matrices) {
    KETTE_CHECK(matrix.shape().rank() == 2 && matrix.width() == packed.in,
                "pack_linear: expected matrices [out, ", packed.in, "], given ", matrix.str());
    packed.out += matrix.rows();
  }
  packed.panels = Tensor::zeros({panels_of(packed.out), packed.in, kPanel});
  packed.bias = Tensor::zeros({panels_of(packed.out) * kPanel});
  std::int64_t first = 0;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const Tensor matrix = matrices[i].to(DType::f32);
    pack_rows(matrix, first, packed.panels.data<float>());
    if (!biases.empty()) {
      KETTE_CHECK(biases[i].elements() == matrix.rows(), "pack_linear: expected a bias of ",
                  matrix.rows(), " entries, given ", biases[i].str());
      packed.bias.view(first, {matrix.rows()}).copy_from(biases[i].to(DType::f32));
    }
    first += matrix.rows();
  }
  return packed;
}

void packed_linear(CpuExec, const PackedLinearArgs& args) {
  const PackedWeight& weight = *args.weight;
  const std::int64_t rows = args.x.rows(), depth = weight.in, out = weight.out;
  KETTE_CHECK(args.x.width() == depth && args.y.rows() == rows && args.y.width() == out,
              "packed_linear: expected x [rows, ", depth, "] and y [rows, ", out, "], given ",
              args.x.str(), " and ", args.y.str());
  const float *x = args.x.data<float>(), *panels = weight.panels.data<float>();
  const float* bias = weight.bias.data<float>();
  float* y = args.y.data<float>();
  cpu::parallel_blocks(
      panels_of(out), 1, rows * depth * kPanel, [&](std::int64_t panel, std::int64_t) {
        const std::int64_t column = panel * kPanel,
                           columns = std::min<std::int64_t>(kPanel, out - column);
        for (std::int64_t row = 0; row < rows; row += cpu::kPanelRows) {
          const std::int64_t count = std::min<std::int64_t>(cpu::kPanelRows, rows - row);
          float* target = y + row * out + column;
          alignas(64) float edge[cpu::kPanelRows * kPanel];
          const bool whole = columns == kPanel;
          cpu::multiply_panel(count, depth, x + row * depth, depth, panels + column * depth,
                              bias + column, whole ? target : edge, whole ? out : kPanel);
          for (std::int64_t i = 0; i < count; ++i) {
            if (!whole) std::copy_n(edge + i * kPanel, columns, target + i * out);
            activate(args.activation, target + i * out, columns);
          }
        }
      });
}

}  // namespace kette::kernels

#include "autograd/ops/lora.h"

#include "autograd/op.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/products.h"
#include "autograd/ops/shaping.h"

namespace kette {
namespace {

/// x: with rows of A's width, and of its type.
void check(const std::vector<RowBlock>& blocks, std::int64_t out, const Tensor& x,
           const Tensor& down, const Tensor& up) {
  const char* name = ops::LoraLinear::name;
  const auto count = static_cast<std::int64_t>(blocks.size());
  const std::int64_t rank = up.width();
  std::int64_t rows = 0;
  for (const RowBlock& block : blocks) {
    KETTE_CHECK(0 <= block.begin && block.begin < block.end && block.end <= out, name,
                ": expected blocks of the weight's ", out, " rows, given [", block.begin, ", ",
                block.end, ")");
    rows += block.rows();
  }
  KETTE_CHECK(
      count > 0 && down.shape() == (Shape{count * rank, x.width()}) &&
          up.shape() == (Shape{rows, rank}) && down.dtype() == x.dtype() && up.dtype() == x.dtype(),
      name, ": expected, for ", count, " blocks, A ", name_of(x.dtype()), " [", count, " * rank, ",
      x.width(), "] and B [", rows, ", rank], given ", down.str(), " and ", up.str());
}

}  // namespace

namespace ops {

template <class Function>
void LoraLinear::for_blocks(const Function& function) const {
  std::int64_t column = 0, row = 0;
  for (const RowBlock& block : blocks) {
    function(block, column, row);
    column += b.width();
    row += block.rows();
  }
}

Tensor LoraLinear::forward(const Tensor& x, const Tensor& weight, const Tensor& bias,
                           const Tensor& down, const Tensor& up) {
  const Tensor y = base.forward(x, weight, bias);
  check(blocks, y.width(), x, down, up);
  const std::int64_t rank = up.width();
  a = down;
  b = up;
  t = Linear{}.forward(x, a, Tensor());
  for_blocks([&](const RowBlock& block, std::int64_t column, std::int64_t row) {
    multiply(Matrix(y).columns(block.begin, block.rows()), Matrix(t).columns(column, rank),
             Matrix(b.slice(row, row + block.rows())).transposed(), true, scale);
  });
  return y;
}

void LoraLinear::backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dweight,
                          GradientSlot& dbias, GradientSlot& da, GradientSlot& db) {
  base.backward(dy, dx, dweight, dbias);
  const Tensor dt = Tensor::empty(t.shape(), t.dtype(), t.device());
  const GradientSlot::Buffer of_b = db.wanted() ? db.buffer() : GradientSlot::Buffer{};
  for_blocks([&](const RowBlock& block, std::int64_t column, std::int64_t row) {
    const Matrix upstream = Matrix(dy).columns(block.begin, block.rows());
    const std::int64_t rank = b.width(), end = row + block.rows();
    multiply(Matrix(dt).columns(column, rank), upstream, b.slice(row, end), false, scale);
    if (of_b.tensor.defined()) {
      multiply(of_b.tensor.slice(row, end), upstream.transposed(), Matrix(t).columns(column, rank),
               of_b.adds, scale);
    }
  });
  if (da.wanted()) {
    const GradientSlot::Buffer gradient = da.buffer();
    multiply(gradient.tensor, Matrix(dt).transposed(), base.x, gradient.adds);
  }
  if (dx.wanted()) {
    const GradientSlot::Buffer gradient = dx.buffer();
    multiply(gradient.tensor, dt, a, gradient.adds);
  }
}

Variable LoraLinear::composed(const std::array<Variable, 5>& in) const {
  const Variable &x = in[0], &weight = in[1], &bias = in[2], &down = in[3], &up = in[4];
  const std::int64_t out = weight.shape()[0], width = weight.shape()[1], rank = up.value().width();
  const auto zeros = [&](std::int64_t rows) {
    return Variable(Tensor::zeros({rows, width}, weight.value().dtype(), weight.value().device()));
  };
  Variable merged = weight;
  std::int64_t above = 0, of_down = 0;
  for (const RowBlock& block : blocks) {
    const Variable product =
        matmul(slice(up, above, above + block.rows()), slice(down, of_down, of_down + rank));
    merged = merged +
             affine(concatenate(concatenate(zeros(block.begin), product), zeros(out - block.end)),
                    scale);
    above += block.rows();
    of_down += rank;
  }
  return linear(x, merged, bias);
}

std::vector<Sample> LoraLinear::samples() {
  const auto sample = [](const char* label, std::int64_t rows, std::int64_t in, std::int64_t out,
                         std::int64_t rank, const std::vector<RowBlock>& blocks, bool biased) {
    std::int64_t adapted = 0;
    for (const RowBlock& block : blocks) adapted += block.rows();
    const auto depth = static_cast<std::int64_t>(blocks.size()) * rank;
    std::vector<SampleInput> inputs{{{rows, in}}, {{out, in}}, {{depth, in}}, {{adapted, rank}}};
    if (biased) inputs.push_back({{out}});
    return Sample{
        label, inputs,
        [=](const std::vector<Variable>& v) {
          return lora_linear(v[0], v[1], biased ? v[4] : Variable(), v[2], v[3], blocks, 0.7);
        },
        [=](const std::vector<Values>& v) {
          const auto at = [&v](std::size_t input, std::int64_t row, std::int64_t column,
                               std::int64_t width) { return v[input][row * width + column]; };
          Values y;
          for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t o = 0; o < out; ++o) {
              y.push_back(biased ? at(4, 0, o, out) : 0);
              for (std::int64_t i = 0; i < in; ++i) {
                double weight = at(1, o, i, in);  // of W + scale * B A
                std::int64_t above = 0;
                for (std::size_t k = 0; k < blocks.size(); above += blocks[k++].rows()) {
                  if (o < blocks[k].begin || o >= blocks[k].end) continue;
                  for (std::int64_t p = 0; p < rank; ++p) {
                    weight += 0.7 * at(3, above + o - blocks[k].begin, p, rank) *
                              at(2, static_cast<std::int64_t>(k) * rank + p, i, in);
                  }
                }
                y.back() += at(0, r, i, in) * weight;
              }
            }
          }
          return y;
        }};
  };
  return {sample("[5, 3] x [4, 3]^T, rank 2 on all rows", 5, 3, 4, 2, {{0, 4}}, true),
          sample("[6, 5] x [9, 5]^T, rank 1 on rows 0-3 and 6-9, no bias", 6, 5, 9, 1,
                 {{0, 3}, {6, 9}}, false),
          sample("[33, 18] x [40, 18]^T, rank 3 on rows 5-16 and 28-40", 33, 18, 40, 3,
                 {{5, 16}, {28, 40}}, true)};
}

}  // namespace ops

void merge_lora(const Tensor& weight, const Tensor& a, const Tensor& b,
                const std::vector<RowBlock>& blocks, double scale) {
  check(blocks, weight.rows(), weight, a, b);
  const std::int64_t rank = b.width();
  std::int64_t above_a = 0, above_b = 0;
  for (const RowBlock& block : blocks) {
    multiply(weight.slice(block.begin, block.end), b.slice(above_b, above_b + block.rows()),
             a.slice(above_a, above_a + rank), true, scale);
    above_a += rank;
    above_b += block.rows();
  }
}

Variable lora_linear(const Variable& x, const Variable& weight, const Variable& bias,
                     const Variable& a, const Variable& b, const std::vector<RowBlock>& blocks,
                     double scale) {
  return record(ops::LoraLinear{scale, blocks}, x, weight, bias, a, b);
}

}  // namespace kette

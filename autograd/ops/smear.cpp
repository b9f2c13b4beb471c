#include "autograd/ops/smear.h"

#include "autograd/op.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/shaping.h"

namespace kette {

void check_smear(const Tensor& x, const Tensor& gates, const Tensor& positions) {
  const char* name = ops::Smear::name;
  const std::int64_t heads = gates.elements();
  KETTE_CHECK(
      gates.dtype() == x.dtype() && heads > 0 && x.width() > 0 && x.width() % (3 * heads) == 0,
      name, ": expected a gate of ", name_of(x.dtype()),
      " for each head of queries, keys and values, given gates ", gates.str(), " and x ", x.str());
  KETTE_CHECK(positions.dtype() == DType::i32 && positions.elements() == x.rows(), name,
              ": expected i32 positions of ", x.rows(), " rows, given ", positions.str());
}

}  // namespace kette

namespace kette::ops {

Tensor Smear::forward(const Tensor& input, const Tensor& gates_of_heads) {
  check_smear(input, gates_of_heads, positions);
  if (positions.device().is_host() && positions.elements() > 0) {
    const std::int32_t first = positions.data<std::int32_t>()[0];
    KETTE_CHECK(first == 0, name, ": expected the first row at position 0, given ", first);
  }
  x = input;
  gates = gates_of_heads;
  positions = positions.to(x.device());
  const Tensor y = Tensor::empty(x.shape(), x.dtype(), x.device());
  visit_float(x.dtype(), name, [&]<class T>(T) {
    const std::int64_t width = x.width() / 3;
    const rows::Smear<T> body{x.data<T>(), gates.data<T>(), positions.data<std::int32_t>(),
                              y.data<T>(), width,           width / gates.elements()};
    on(x.device(), [&](auto exec) { kernels::for_rows(exec, body, x.rows()); });
  });
  return y;
}

void Smear::backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dgates) {
  const std::int64_t width = x.width() / 3, heads = gates.elements();
  // Each row reads the next row's upstream gradient, so these must not be overwritten.
  const Tensor gradient = Tensor::empty(dy.shape(), dy.dtype(), dy.device());
  const Tensor sums = Tensor::zeros({heads, width / heads}, compute_dtype(dy.dtype()), dy.device());
  visit_float(x.dtype(), name, [&]<class T>(T) {
    const rows::SmearBackward<T> body{
        x.data<T>(),        gates.data<T>(), dy.data<T>(),  positions.data<std::int32_t>(),
        gradient.data<T>(), width,           width / heads, x.rows()};
    const Tensor* const outputs[] = {&sums};
    on(x.device(), [&](auto exec) { kernels::for_rows_with_sums(exec, body, x.rows(), outputs); });
  });
  dx.add(gradient);
  if (!dgates.wanted()) return;
  const Tensor of_heads = Tensor::empty({heads, 1}, sums.dtype(), sums.device());
  on(x.device(), [&](auto exec) { kernels::sum_to(exec, sums, of_heads); });
  dgates.add(of_heads.reshaped(gates.shape()));
}

Variable Smear::composed(const std::array<Variable, 2>& in) const {
  const Tensor& row = in[0].value();
  const std::int64_t rows = row.rows(), width = row.width() / 3, heads = in[1].value().elements();
  const std::vector<std::int32_t> places = positions.to(Device{}).values<std::int32_t>();
  // Constants: a matrix that takes the row before (or, if none, the row itself), and the gate of
  // each column.
  std::vector<double> before(static_cast<std::size_t>(rows * rows)),
      gate_of(static_cast<std::size_t>(heads * width));
  for (std::int64_t t = 0; t < rows; ++t) before[t * rows + (places[t] > 0 ? t - 1 : t)] = 1;
  for (std::int64_t j = 0; j < width; ++j) gate_of[j / (width / heads) * width + j] = 1;
  const auto constant = [&](const std::vector<double>& values, Shape shape) {
    return Variable(Tensor::from(values, shape).to(row.dtype()).to(row.device()));
  };
  const Variable keys = columns(in[0], width, 2 * width);
  const Variable earlier = matmul(constant(before, {rows, rows}), keys);
  const Variable gate = matmul(reshape(in[1], {1, heads}), constant(gate_of, {heads, width}));
  const Variable smeared = earlier + gate * (keys - earlier);
  const auto across = [&](std::int64_t part) {
    return transpose(columns(in[0], part * width, (part + 1) * width));
  };
  return transpose(concatenate(concatenate(across(0), transpose(smeared)), across(2)));
}

std::vector<Sample> Smear::samples() {
  const auto sample = [](const char* label, const std::vector<std::int32_t>& positions, int heads,
                         int head_width) {
    const int width = heads * head_width, stride = 3 * width;
    return Sample{label,
                  {{{static_cast<std::int64_t>(positions.size()), stride}}, {{heads}, 0, 1}},
                  [=](const std::vector<Variable>& in) {
                    return smear(in[0], in[1], Tensor::from(positions));
                  },
                  [=](const std::vector<Values>& in) {
                    Values y = in[0];
                    for (std::size_t row = 0; row < positions.size(); ++row) {
                      for (int j = 0; positions[row] > 0 && j < width; ++j) {
                        const double gate = in[1][j / head_width];
                        const std::size_t at = row * stride + width + j;
                        y[at] = gate * in[0][at] + (1 - gate) * in[0][at - stride];
                      }
                    }
                    return y;
                  }};
  };
  return {sample("texts of 3, 1 and 2, 2 heads of 4", {0, 1, 2, 0, 0, 1}, 2, 4),
          sample("a text of 1, 3 heads of 1", {0}, 3, 1),
          sample("texts of 5 and 2, 1 head of 33", {0, 1, 2, 3, 4, 0, 1}, 1, 33)};
}

}  // namespace kette::ops

namespace kette {

Variable smear(const Variable& x, const Variable& gates, const Tensor& positions) {
  return record(ops::Smear{positions}, x, gates);
}

}  // namespace kette

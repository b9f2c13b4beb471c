#include "autograd/ops/rotary.h"

#include <cmath>

#include "autograd/op.h"
#include "autograd/ops/ids.h"

namespace kette {

Tensor rotary_table(std::int64_t positions, std::int64_t head_width, double base, DType dtype,
                    Device device) {
  KETTE_CHECK(positions >= 0 && head_width > 0 && head_width % 2 == 0 && base > 0,
              "rotary_table: expected an even head width and a base above 0, given head width ",
              head_width, " and base ", base, " for ", positions, " positions");
  const Shape shape{positions, head_width};
  const std::int64_t half = head_width / 2;
  std::vector<double> table(static_cast<std::size_t>(shape.elements()));
  for (std::int64_t position = 0; position < positions; ++position) {
    for (std::int64_t i = 0; i < half; ++i) {
      const double exponent = 2 * static_cast<double>(i) / static_cast<double>(head_width);
      const double angle = static_cast<double>(position) / std::pow(base, exponent);
      const std::int64_t at = position * head_width + i;
      table[at] = std::cos(angle);
      table[at + half] = std::sin(angle);
    }
  }
  return Tensor::from(table, shape).to(compute_dtype(dtype)).to(device);
}

}  // namespace kette

namespace kette::ops {

void Rotary::turn(const Tensor& x, const Tensor& y, double direction) const {
  visit_float(x.dtype(), name, [&]<class T>(T) {
    const std::int64_t width = table.width(), heads = x.width() / width;
    const rows::Rotary<T> body{x.data<T>(),
                               table.data<Compute<T>>(),
                               positions.data<std::int32_t>(),
                               y.data<T>(),
                               width,
                               heads,
                               turned / width,
                               direction};
    on(x.device(), [&](auto exec) { kernels::for_rows(exec, body, x.rows() * heads); });
  });
}

Tensor Rotary::forward(const Tensor& x) {
  KETTE_CHECK(table.shape().rank() == 2 && table.width() > 0 && table.width() % 2 == 0 &&
                  table.dtype() == compute_dtype(x.dtype()) && table.device() == x.device(),
              name, ": expected a table [positions, head width] of type ",
              name_of(compute_dtype(x.dtype())), " on ", x.device().str(), ", given ", table.str(),
              "; rotary_table() makes one");
  KETTE_CHECK(x.width() % table.width() == 0 && turned % table.width() == 0 && turned >= 0 &&
                  turned <= x.width() && positions.elements() == x.rows(),
              name, ": expected x of heads of ", table.width(),
              ", of which whole ones turn, and a position for each row, given x ", x.str(), ", ",
              turned, " columns to turn and ", positions.elements(), " positions");
  positions = checked_ids(name, positions, table);
  const Tensor y = Tensor::empty(x.shape(), x.dtype(), x.device());
  turn(x, y, 1);
  return y;
}

void Rotary::backward(const Tensor& dy, GradientSlot& dx) {
  const Tensor gradient = room_over(dy);
  turn(dy, gradient, -1);
  dx.add(gradient);
}

std::vector<Sample> Rotary::samples() {
  const auto sample = [](const char* label, const std::vector<std::int32_t>& positions, int heads,
                         int head_width, double base) {
    const int stride = 3 * heads * head_width;
    return Sample{label,
                  {{{static_cast<std::int64_t>(positions.size()), stride}}},
                  [=](const std::vector<Variable>& in) {
                    const Tensor& x = in[0].value();
                    return rotary(in[0], Tensor::from(positions),
                                  rotary_table(8, head_width, base, x.dtype(), x.device()),
                                  2 * heads * head_width);
                  },
                  [=](const std::vector<Values>& in) {
                    Values y = in[0];
                    for (std::size_t r = 0; r < positions.size(); ++r) {
                      for (int head = 0; head < 2 * heads; ++head) {  // of the queries, of the keys
                        for (int i = 0; i < head_width / 2; ++i) {
                          const double angle = positions[r] * std::pow(base, -2.0 * i / head_width);
                          const std::size_t first = r * stride + head * head_width + i;
                          const std::size_t second = first + head_width / 2;
                          const double a = in[0][first], b = in[0][second];
                          y[first] = a * std::cos(angle) - b * std::sin(angle);
                          y[second] = a * std::sin(angle) + b * std::cos(angle);
                        }
                      }
                    }
                    return y;
                  }};
  };
  return {sample("positions 0 1 2 0 7, 2 heads of 4", {0, 1, 2, 0, 7}, 2, 4, 10000),
          sample("position 5, 1 head of 2", {5}, 1, 2, 10000),
          sample("positions 3 6, 3 heads of 10, base 100", {3, 6}, 3, 10, 100)};
}

}  // namespace kette::ops

namespace kette {

Variable rotary(const Variable& x, const Tensor& positions, const Tensor& table,
                std::int64_t turned) {
  return record(ops::Rotary{positions, table, turned}, x);
}

}  // namespace kette

#include "autograd/ops/embedding.h"

#include "autograd/op.h"
#include "autograd/ops/ids.h"

namespace kette::ops {
namespace {

void gather(const Tensor& table, const Tensor& ids, const Tensor& y, double scale) {
  visit_float(table.dtype(), "embedding", [&]<class T>(T) {
    const rows::Gather<T> body{table.data<T>(), ids.data<std::int32_t>(), y.data<T>(),
                               table.width(), scale};
    on(table.device(), [&](auto exec) { kernels::for_rows(exec, body, ids.elements()); });
  });
}

/// The caller's ids, so that the host sorts them while a GPU is still busy with other ops.
void add_rows_of_entries(const Tensor& dy, const Tensor& ids, const Tensor& table, double scale,
                         GradientSlot& dtable) {
  const GradientSlot::Buffer sums = dtable.sums(table);
  const Occurrences occurrences(ids, table.rows());
  on(dy.device(),
     [&](auto exec) { kernels::scatter_add(exec, dy, occurrences, sums.tensor, scale); });
  if (!sums.adds) dtable.add(sums.tensor);
}

}  // namespace

Tensor Embedding::forward(const Tensor& entries) {
  table = entries;
  KETTE_CHECK(table.shape().rank() == 2, name, ": expected a table [entries, width], given ",
              table.str());
  const Tensor y = Tensor::empty({ids.elements(), table.width()}, table.dtype(), table.device());
  gather(table, checked_ids(name, ids, table, with_holes ? kNoEntry : 0), y, scale);
  return y;
}

void Embedding::backward(const Tensor& dy, GradientSlot& dtable) {
  add_rows_of_entries(dy, ids, table, scale, dtable);
}

Tensor AddPositions::forward(const Tensor& x, const Tensor& entries) {
  table = entries;
  KETTE_CHECK(
      table.shape().rank() == 2 && table.width() == x.width() && positions.elements() == x.rows(),
      name, ": expected a table [positions, ", x.width(), "] and ", x.rows(), " positions for x ",
      x.str(), ", given ", table.str(), " and ", positions.elements());
  const Tensor at = checked_ids(name, positions, table);
  const Tensor y = Tensor::empty(x.shape(), x.dtype(), x.device());
  visit_float(x.dtype(), name, [&]<class T>(T) {
    const rows::AddPositions<T> body{x.data<T>(), table.data<T>(), at.data<std::int32_t>(),
                                     y.data<T>(), x.width()};
    on(x.device(), [&](auto exec) { kernels::for_rows(exec, body, x.rows()); });
  });
  return y;
}

void AddPositions::backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dtable) {
  if (dtable.wanted()) add_rows_of_entries(dy, positions, table, 1, dtable);
  dx.add(dy);
}

std::vector<Sample> Embedding::samples() {
  // 3 twice: its gradients add up.
  const std::vector<std::int32_t> ids = {3, 0, 3, kNoEntry, 1};
  return {Sample{"5 ids of a [6, 9] table, one of them none",
                 {{{6, 9}}},
                 [ids](const std::vector<Variable>& in) {
                   return embedding(in[0], Tensor::from(ids), 3.0, true);
                 },
                 [ids](const std::vector<Values>& in) {
                   Values y;
                   for (const std::int32_t id : ids) {
                     for (std::size_t j = 0; j < 9; ++j)
                       y.push_back(id == kNoEntry ? 0 : 3.0 * in[0][id * 9 + j]);
                   }
                   return y;
                 }}};
}

std::vector<Sample> AddPositions::samples() {
  const std::vector<std::int32_t> positions = {0, 1, 2, 0, 1};
  return {Sample{"sequences of 3 and 2 rows, width 4",
                 {{{5, 4}}, {{3, 4}}},
                 [positions](const std::vector<Variable>& in) {
                   return add_positions(in[0], in[1], Tensor::from(positions));
                 },
                 [positions](const std::vector<Values>& in) {
                   Values y = in[0];
                   for (std::size_t i = 0; i < y.size(); ++i) {
                     y[i] += in[1][positions[i / 4] * 4 + i % 4];
                   }
                   return y;
                 }}};
}

}  // namespace kette::ops

namespace kette {

Variable embedding(const Variable& table, const Tensor& ids, double scale, bool with_holes) {
  return record(ops::Embedding{ids, scale, with_holes}, table);
}

Variable add_positions(const Variable& x, const Variable& table, const Tensor& positions) {
  return record(ops::AddPositions{positions}, x, table);
}

}  // namespace kette

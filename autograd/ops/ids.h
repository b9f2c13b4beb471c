// Ids of table entries. In host memory they can be checked.
#pragma once

#include "tensor/tensor.h"

namespace kette {

/// The id for no entry: an embedding of zeros, without a gradient.
inline constexpr std::int32_t kNoEntry = -1;

/// Copies the ids to the table's device. Ids in host memory are checked; kernels check none.
inline Tensor checked_ids(const char* op, const Tensor& ids, const Tensor& table,
                          std::int32_t least = 0) {
  const std::int64_t entries = table.rows();
  KETTE_CHECK(ids.dtype() == DType::i32, op, ": expected i32 ids, given ", ids.str());
  KETTE_CHECK(ids.device().is_host() || ids.device() == table.device(), op,
              ": expected ids on the host or on ", table.device().str(), ", given ", ids.str());
  if (!ids.device().is_host()) return ids;
  const std::int32_t* id = ids.data<std::int32_t>();
  for (std::int64_t row = 0; row < ids.elements(); ++row) {
    KETTE_CHECK(id[row] >= least && id[row] < entries, op, ": expected ids in 0 .. ", entries - 1,
                ", given ", id[row], " in row ", row);
  }
  return ids.to(table.device());
}

}  // namespace kette

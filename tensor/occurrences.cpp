#include "tensor/occurrences.h"

#include <algorithm>

namespace kette {

Occurrences::Occurrences(const Tensor& ids, std::int64_t entries) {
  const Tensor host = ids.to(Device{});
  const std::int32_t* id = host.data<std::int32_t>();
  const auto count = static_cast<std::int32_t>(host.elements());

  // A counting sort: ends[entry] is the end of the entry's rows once all are placed.
  std::vector<std::int32_t> ends(static_cast<std::size_t>(entries) + 1);
  for (std::int32_t row = 0; row < count; ++row) {
    KETTE_CHECK(id[row] < entries, "lookup: expected ids in 0 .. ", entries - 1, ", given ",
                id[row], " in row ", row);
    if (id[row] >= 0) ++ends[id[row] + 1];
  }
  for (std::size_t entry = 1; entry < ends.size(); ++entry) ends[entry] += ends[entry - 1];
  rows_.resize(static_cast<std::size_t>(ends.back()));
  for (std::int32_t row = 0; row < count; ++row) {
    if (id[row] < 0) continue;
    std::int32_t& end = ends[id[row]];
    rows_[end++] = row;
  }

  std::int32_t partial = 0;
  for (std::int32_t begin = 0; begin < std::ssize(rows_);) {
    const std::int32_t entry = id[rows_[begin]];
    const std::int32_t end = ends[entry], first = partial;
    const bool is_frequent = end - begin > kPiece;
    for (; begin < end; begin = std::min(begin + kPiece, end)) {
      pieces_.push_back(
          {entry, begin, std::min(begin + kPiece, end), is_frequent ? partial++ : -1});
    }
    if (is_frequent) frequent_.push_back({entry, first, partial});
  }
}

}  // namespace kette

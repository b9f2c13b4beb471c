// Where a lookup's ids occur: for each table entry, in ascending order, the rows that look it up,
// cut into pieces of at most kPiece rows. scatter_add() sums the rows of each piece, then the
// pieces of each entry. So the order of additions is fixed, and no single thread sums all rows of a
// frequent entry: a few dozen different words make up half of a text.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace kette {

class Occurrences {
 public:
  static constexpr std::int32_t kPiece = 64;

  /// `rows()` [begin, end) look up this entry. partial: the number of this piece's partial sum, or
  /// -1 if it is the entry's only piece.
  struct Piece {
    std::int32_t entry, begin, end, partial;
  };
  /// The partial sums [begin, end) belong to this entry.
  struct Frequent {
    std::int32_t entry, begin, end;
  };

  /// ids: i32, each below `entries`, else an Error; below 0: no entry. If the ids are on a GPU, the
  /// host waits for a copy.
  Occurrences(const Tensor& ids, std::int64_t entries);

  const std::vector<std::int32_t>& rows() const { return rows_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  const std::vector<Frequent>& frequent() const { return frequent_; }
  std::int64_t partial_sums() const { return frequent_.empty() ? 0 : frequent_.back().end; }

 private:
  std::vector<std::int32_t> rows_;
  std::vector<Piece> pieces_;
  std::vector<Frequent> frequent_;
};

}  // namespace kette

// Where a lookup's ids occur: for each table entry, in ascending order, the rows that asked for it,
// cut into pieces of at most kPiece rows. scatter_add() adds up the rows of a piece, and then the
// pieces of an entry, so that the order of additions is fixed, and so that no thread adds all the rows
// of a frequent entry one after the other: half of the words of a text are a few dozen different ones.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace kette {

class Occurrences {
 public:
  static constexpr std::int32_t kPiece = 64;

  /// `rows()` [begin, end) ask for this entry. partial: which of the partial sums this piece is, or -1
  /// if the entry has no other piece.
  struct Piece {
    std::int32_t entry, begin, end, partial;
  };
  /// The partial sums [begin, end) belong to this entry.
  struct Frequent {
    std::int32_t entry, begin, end;
  };

  /// ids: i32, each in 0 .. entries - 1, else an Error, or below 0 for none. Of ids on a GPU the host waits
  /// for a copy.
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

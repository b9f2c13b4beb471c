// How flat buffers of parameters are dealt out to processes: in chunks, of each of which every process owns a piece, one
// behind the other. So chunks can be exchanged one by one, with all processes busy at each (ZeRO, Rajbhandari et al. 2020,
// section 5.1, has one piece of all for each).
#pragma once

#include <algorithm>

#include "tensor/ceil_div.h"
#include "tensor/kernels.h"
#include "train/step_tree.h"

namespace kette {

/// What chunks have where nothing else is said: 4 MiB of f32. Smaller ones cost more a byte.
inline constexpr std::int64_t kChunkElements = std::int64_t{1} << 20;

class Shards {
 public:
  /// One process owns all.
  explicit Shards(std::int64_t elements) : Shards(elements, 0, 1, elements) {}
  /// As process number `process` of so many sees it. Chunks of about chunk_elements; pieces begin at whole blocks of
  /// kSquaresBlock.
  Shards(std::int64_t elements, int process, int processes, std::int64_t chunk_elements)
      : elements_(elements),
        process_(process),
        processes_(processes),
        piece_(round_up(std::max<std::int64_t>(1, chunk_elements / processes), kSquaresBlock)) {}

  std::int64_t elements() const { return elements_; }
  std::int64_t chunks() const { return ceil_div(elements_, piece_ * processes_); }
  Interval chunk(std::int64_t number) const {
    return within(number * piece_ * processes_, (number + 1) * piece_ * processes_);
  }
  /// Those of the last chunk may be empty.
  Interval piece(std::int64_t chunk, int process) const {
    const std::int64_t begin = (chunk * processes_ + process) * piece_;
    return within(begin, begin + piece_);
  }
  /// Of a number for each block of so many elements, which pieces are multiples of.
  Shards of_blocks(std::int64_t size) const {
    Shards blocks = *this;
    blocks.elements_ = ceil_div(elements_, size);
    blocks.piece_ = piece_ / size;
    return blocks;
  }
  /// The most that a piece has.
  std::int64_t piece_elements() const { return std::min(piece_, elements_); }
  Interval piece(std::int64_t chunk) const { return piece(chunk, process_); }
  /// Of all this process's pieces together.
  std::int64_t owned() const {
    std::int64_t sum = 0;
    for_pieces([&](const Interval& piece, const Interval&) { sum += piece.size(); });
    return sum;
  }
  /// Calls function(piece, place) for each of its pieces; place: where that lies when they are laid end to end.
  template <class Function>
  void for_pieces(const Function& function) const {
    std::int64_t end = 0;
    for (std::int64_t chunk = 0; chunk < chunks(); ++chunk) {
      const Interval mine = piece(chunk), place{end, end + mine.size()};
      if (mine.size() > 0) function(mine, place);
      end = place.end;
    }
  }

 private:
  Interval within(std::int64_t begin, std::int64_t end) const {
    return {std::min(begin, elements_), std::min(end, elements_)};
  }

  std::int64_t elements_;
  int process_, processes_;
  std::int64_t piece_;
};

}  // namespace kette

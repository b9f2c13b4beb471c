// Divides flat buffers of parameters among processes. A buffer is cut into chunks, and each process owns a piece of
// every chunk. So chunks can be exchanged one by one, with all processes busy. (ZeRO, Rajbhandari et al. 2020, section
// 5.1, gives each process one piece of the whole buffer.)
#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/ceil_div.h"
#include "train/step_tree.h"

namespace kette {

/// The default size of a chunk: 4 MiB of f32. Smaller chunks cost more per byte.
inline constexpr std::int64_t kChunkElements = std::int64_t{1} << 20;

class Shards {
 public:
  /// For a single process, which owns all elements.
  explicit Shards(std::int64_t elements) : Shards(elements, 0, 1, elements) {}
  /// As seen by process number `process` of `processes`. A chunk has about chunk_elements. Pieces are whole blocks of
  /// kSquaresBlock elements (tensor/kernels.h), about as many for each process.
  Shards(std::int64_t elements, int process, int processes, std::int64_t chunk_elements);

  std::int64_t elements() const { return elements_; }
  std::int64_t chunks() const { return chunks_; }
  Interval chunk(std::int64_t number) const { return elements_of(blocks_of(number)); }
  /// The elements of a chunk that a process owns; may be empty.
  Interval piece(std::int64_t chunk, int process) const {
    const Interval blocks = blocks_of(chunk);
    // Rotates from chunk to chunk, so that the larger pieces do not all fall to the same processes.
    const auto place = static_cast<int>((process + chunk) % processes_);
    const Interval part = share_of(place, processes_, blocks.size());
    return elements_of({blocks.begin + part.begin, blocks.begin + part.end});
  }
  Interval piece(std::int64_t chunk) const { return piece(chunk, process_); }
  /// The same division of a buffer with one value per block of kSquaresBlock elements.
  Shards of_blocks() const {
    Shards blocks = *this;
    blocks.elements_ = ceil_div(elements_, block_);
    blocks.block_ = 1;
    return blocks;
  }
  /// The number of elements of all this process's pieces.
  std::int64_t owned() const {
    std::int64_t sum = 0;
    for_pieces([&](const Interval& piece, const Interval&) { sum += piece.size(); });
    return sum;
  }
  /// Calls function(piece, place) for each of this process's pieces. place: its interval if the pieces are laid end to
  /// end.
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
  Interval blocks_of(std::int64_t chunk) const {
    const std::int64_t blocks = ceil_div(elements_, block_);
    return {blocks * chunk / chunks_, blocks * (chunk + 1) / chunks_};
  }
  Interval elements_of(const Interval& blocks) const {
    return {std::min(blocks.begin * block_, elements_), std::min(blocks.end * block_, elements_)};
  }

  std::int64_t elements_, chunks_, block_;
  int process_, processes_;
};

}  // namespace kette

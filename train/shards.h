// How flat buffers of parameters are dealt out to processes: in chunks, of each of which every process owns a piece, one
// behind the other. So chunks can be exchanged one by one, with all processes busy at each (ZeRO, Rajbhandari et al. 2020,
// section 5.1, has one piece of all for each).
#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/ceil_div.h"
#include "train/step_tree.h"

namespace kette {

/// What chunks have where nothing else is said: 4 MiB of f32. Smaller ones cost more a byte.
inline constexpr std::int64_t kChunkElements = std::int64_t{1} << 20;

class Shards {
 public:
  /// One process owns all.
  explicit Shards(std::int64_t elements) : Shards(elements, 0, 1, elements) {}
  /// As process number `process` of so many sees it. Chunks of about chunk_elements. Pieces are whole blocks of
  /// kSquaresBlock (tensor/kernels.h), of which no process has many more than another.
  Shards(std::int64_t elements, int process, int processes, std::int64_t chunk_elements);

  std::int64_t elements() const { return elements_; }
  std::int64_t chunks() const { return chunks_; }
  Interval chunk(std::int64_t number) const { return elements_of(blocks_of(number)); }
  /// Some may be empty.
  Interval piece(std::int64_t chunk, int process) const {
    const Interval blocks = blocks_of(chunk);
    // Who comes first changes from chunk to chunk, and with it who has a block more.
    const auto place = static_cast<int>((process + chunk) % processes_);
    const Interval part = share_of(place, processes_, blocks.size());
    return elements_of({blocks.begin + part.begin, blocks.begin + part.end});
  }
  Interval piece(std::int64_t chunk) const { return piece(chunk, process_); }
  /// Of a number for each block of kSquaresBlock elements.
  Shards of_blocks() const {
    Shards blocks = *this;
    blocks.elements_ = ceil_div(elements_, block_);
    blocks.block_ = 1;
    return blocks;
  }
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

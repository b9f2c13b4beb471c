// A caching allocator: blocks are cut from large segments, handed out best fit first and merged
// with their free neighbours when they come back. The batches of a training run differ in size: a
// cache of blocks by exact size would rarely fit, and memory would grow to several times the peak
// use.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "tensor/backend.h"
#include "tensor/observer.h"

namespace kette {

/// "8192 MiB", or "12 KiB" below one MiB: of the memory that an error says is missing.
inline std::string memory_size(std::size_t bytes) {
  constexpr std::size_t kKibi = std::size_t{1} << 10;
  if (bytes >= kKibi * kKibi) return std::to_string(bytes / (kKibi * kKibi)) + " MiB";
  return std::to_string((bytes + kKibi - 1) / kKibi) + " KiB";
}

/// Safe to use from several threads.
class BlockPool {
 public:
  /// Takes memory from a device, aligned as the device needs it; null when there is no more.
  using Reserve = std::function<void*(std::size_t bytes)>;
  using GiveBack = std::function<void(void* memory, std::size_t bytes)>;

  /// Segments have `segment_bytes`, or the size of a larger request, and are cut at multiples of
  /// `alignment`. A pool that `drops_outgrown` segments gives back larger ones than `segment_bytes`
  /// that have no block in use before it takes one that is larger still: tensors that grow would
  /// otherwise leave one of each size behind. Where work is queued that would need a wait.
  BlockPool(std::size_t segment_bytes, std::size_t alignment, Reserve reserve, GiveBack give_back,
            bool drops_outgrown = false)
      : segment_bytes_(segment_bytes),
        alignment_(alignment),
        reserve_(std::move(reserve)),
        give_back_(std::move(give_back)),
        drops_outgrown_(drops_outgrown) {}

  /// A block at a multiple of the alignment from its segment's start; null when the device has no
  /// more memory.
  void* allocate(std::size_t bytes);
  void release(void* memory);
  /// Gives back the segments that have no block in use.
  void trim();
  MemoryStatistics statistics() const;
  /// Tells an observer of every block from now on; null: nobody.
  void watch(MemoryObserver* observer);

 private:
  using FreeBlocks = std::set<std::pair<std::size_t, std::byte*>>;  // by size, then address
  struct Block {
    std::size_t bytes;
    bool begins_segment;
    FreeBlocks::node_type place;  // the set node while not free, so that release() never allocates
    bool free = false;
  };
  using Blocks = std::map<std::byte*, Block>;  // by address, without gaps within a segment

  /// Allocates a block's host memory before anything changes, since that may fail.
  static Blocks::node_type new_block(std::size_t bytes, bool begins_segment);
  Blocks::iterator insert(Blocks::node_type block, std::byte* start);
  Blocks::iterator add_segment(std::size_t bytes);
  /// Gives back the segments of more than `above` bytes that have no block in use.
  void give_back_segments(std::size_t above);
  void set_free(Blocks::iterator block, bool free);
  void merge_with_next(Blocks::iterator block);

  std::size_t segment_bytes_, alignment_;
  Reserve reserve_;
  GiveBack give_back_;
  bool drops_outgrown_;
  mutable std::mutex mutex_;
  Blocks blocks_;
  FreeBlocks free_;
  MemoryStatistics statistics_;
  MemoryObserver* observer_ = nullptr;
};

}  // namespace kette

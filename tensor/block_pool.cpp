#include "tensor/block_pool.h"

#include <algorithm>

namespace kette {

void BlockPool::set_free(Blocks::iterator block, bool free) {
  auto& [start, state] = *block;
  const auto bytes = static_cast<std::int64_t>(state.bytes);
  state.free = free;
  statistics_.cached_bytes += free ? bytes : -bytes;
  if (!free) {
    state.place = free_.extract({state.bytes, start});
  } else {
    state.place.value() = {state.bytes, start};
    free_.insert(std::move(state.place));
  }
}

/// Merges two free blocks.
void BlockPool::merge_with_next(Blocks::iterator block) {
  const auto next = std::next(block);
  auto place = free_.extract({block->second.bytes, block->first});
  free_.erase({next->second.bytes, next->first});
  block->second.bytes += next->second.bytes;
  place.value() = {block->second.bytes, block->first};
  free_.insert(std::move(place));
  blocks_.erase(next);
}

BlockPool::Blocks::node_type BlockPool::new_block(std::size_t bytes, bool begins_segment) {
  FreeBlocks place;
  place.emplace(bytes, nullptr);
  Blocks block;
  block.emplace(nullptr, Block{bytes, begins_segment, place.extract(place.begin())});
  return block.extract(block.begin());
}

BlockPool::Blocks::iterator BlockPool::insert(Blocks::node_type block, std::byte* start) {
  block.key() = start;
  return blocks_.insert(std::move(block)).position;
}

BlockPool::Blocks::iterator BlockPool::add_segment(std::size_t bytes) {
  std::size_t size = std::max(bytes, segment_bytes_);
  Blocks::node_type segment = new_block(size, true);
  void* memory = reserve_(size);
  if (memory == nullptr && size > bytes) memory = reserve_(size = bytes);
  if (memory == nullptr) return blocks_.end();
  segment.mapped().bytes = size;
  const auto block = insert(std::move(segment), static_cast<std::byte*>(memory));
  set_free(block, true);
  return block;
}

void* BlockPool::allocate(std::size_t bytes) {
  const std::size_t size =
      (std::max<std::size_t>(bytes, 1) + alignment_ - 1) / alignment_ * alignment_;
  if (size < bytes) return nullptr;
  const std::lock_guard lock(mutex_);
  ++statistics_.allocations;
  const auto fitting = free_.lower_bound({size, nullptr});
  Blocks::iterator block;
  if (fitting != free_.end()) {
    block = blocks_.find(fitting->second);
  } else {
    ++statistics_.fresh_allocations;
    if (drops_outgrown_ && size > segment_bytes_) give_back_segments(segment_bytes_);
    block = add_segment(size);
    if (block == blocks_.end()) return nullptr;
  }
  const std::size_t rest = block->second.bytes - size;
  Blocks::node_type remainder = rest > 0 ? new_block(rest, false) : Blocks::node_type();
  set_free(block, false);
  block->second.bytes = size;
  if (rest > 0) set_free(insert(std::move(remainder), block->first + size), true);
  statistics_.in_use_bytes += static_cast<std::int64_t>(size);
  statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.in_use_bytes);
  if (observer_) observer_->allocated(block->first, static_cast<std::int64_t>(size));
  return block->first;
}

void BlockPool::release(void* memory) {
  const std::lock_guard lock(mutex_);
  auto block = blocks_.find(static_cast<std::byte*>(memory));
  const auto bytes = static_cast<std::int64_t>(block->second.bytes);
  statistics_.in_use_bytes -= bytes;
  if (observer_) observer_->released(memory, bytes);
  set_free(block, true);
  if (const auto next = std::next(block);
      next != blocks_.end() && next->second.free && !next->second.begins_segment) {
    merge_with_next(block);
  }
  if (!block->second.begins_segment && std::prev(block)->second.free) {
    merge_with_next(std::prev(block));
  }
}

void BlockPool::give_back_segments(std::size_t above) {
  for (auto block = blocks_.begin(); block != blocks_.end();) {
    const auto next = std::next(block);
    const bool is_whole =
        block->second.begins_segment && (next == blocks_.end() || next->second.begins_segment);
    if (is_whole && block->second.free && block->second.bytes > above) {
      set_free(block, false);
      give_back_(block->first, block->second.bytes);
      blocks_.erase(block);
    }
    block = next;
  }
}

void BlockPool::trim() {
  const std::lock_guard lock(mutex_);
  give_back_segments(0);
}

void BlockPool::watch(MemoryObserver* observer) {
  const std::lock_guard lock(mutex_);
  observer_ = observer;
}

MemoryStatistics BlockPool::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

}  // namespace kette

// Memory of a device and pinned memory of the host, and asynchronous copies between them.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "tensor/block_pool.h"
#include "tensor/cuda/launch.h"

namespace kette::cuda {

inline constexpr std::size_t kUploadSegment = std::size_t{1} << 22;
/// What a warp reads and writes at once, 16 bytes a thread: aligned, in the fewest cache lines.
inline constexpr std::size_t kAlignment = 512;

inline void* reserve(std::size_t bytes) {
  void* memory = nullptr;
  if (cudaMalloc(&memory, bytes) == cudaSuccess) return memory;
  cudaGetLastError();  // clears the error: the pool tries with less
  return nullptr;
}

inline void give_back(void* memory, std::size_t) { cudaFree(memory); }

/// Host memory that the device can copy from and to by itself.
inline void* reserve_pinned(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, bytes), "pinned host memory");
  return memory;
}

inline void give_back_pinned(void* memory, std::size_t) { cudaFreeHost(memory); }

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "an event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t queue) { check(cudaEventRecord(event_, queue), "an event"); }
  /// Work queued from now on waits for the event.
  void hold(cudaStream_t queue) const {
    check(cudaStreamWaitEvent(queue, event_, 0), "waiting for an event");
  }
  void wait() const { check(cudaEventSynchronize(event_), "the work queued so far"); }
  bool is_past() const {
    const cudaError_t status = cudaEventQuery(event_);
    if (status != cudaErrorNotReady) check(status, "the work queued so far");
    return status == cudaSuccess;
  }
  // For destructors: the next call reports an error again.
  void settle() const noexcept { cudaEventSynchronize(event_); }
  void mark(cudaStream_t queue) noexcept { cudaEventRecord(event_, queue); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Pinned memory in equal slots that are used in turn. A copy from it returns at once, unless all
/// slots are still in use.
class PinnedRing {
 public:
  static constexpr std::size_t kSlotBytes = std::size_t{1} << 18;

  /// Waits until the device is done with the next slot and returns it.
  std::byte* next() {
    if (memory_ == nullptr) memory_ = reserve_pinned(kSlots * kSlotBytes);
    at_ = (at_ + 1) % kSlots;
    done_[at_].wait();
    return static_cast<std::byte*>(memory_) + at_ * kSlotBytes;
  }
  /// Called after the copy from that slot was queued: the event of its end.
  const Event& queued(cudaStream_t queue) {
    done_[at_].record(queue);
    return done_[at_];
  }

 private:
  static constexpr std::size_t kSlots = 32;
  void* memory_ = nullptr;
  std::size_t at_ = 0;
  Event done_[kSlots];
};

class CudaCopy final : public HostCopy {
 public:
  CudaCopy(BlockPool& pinned, const void* from, std::size_t bytes, cudaStream_t queue)
      : pinned_(pinned), memory_(pinned.allocate(bytes)) {
    check(cudaMemcpyAsync(memory_, from, bytes, cudaMemcpyDeviceToHost, queue), "copying");
    done_.record(queue);
  }
  ~CudaCopy() override {
    done_.settle();  // the device may still be writing
    pinned_.release(memory_);
  }
  const void* wait() override {
    done_.wait();
    return memory_;
  }
  bool arrived() const override { return done_.is_past(); }

 private:
  BlockPool& pinned_;
  void* memory_;
  Event done_;
};

/// Blocks of up to kMostBytes, filled from the host on a stream of their own. A block is reused
/// once the work that was queued before its release is done.
class Uploads {
 public:
  static constexpr std::size_t kMostBytes = kUploadSegment;

  void* upload(const void* from, std::size_t bytes, cudaStream_t work) {
    if (stream_ == nullptr) {
      check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
    }
    for (; !released_.empty() && released_.front().done->is_past(); released_.pop_front()) {
      pool_.release(released_.front().memory);
      spare_.push_back(std::move(released_.front().done));
    }
    void* memory = pool_.allocate(bytes);
    if (memory == nullptr) return nullptr;
    std::unique_ptr<Event>& done = in_use_[memory];
    if (spare_.empty()) {
      done = std::make_unique<Event>();
    } else {
      done = std::move(spare_.back());
      spare_.pop_back();
    }
    for (std::size_t begin = 0; begin < bytes; begin += PinnedRing::kSlotBytes) {
      const std::size_t part = std::min(PinnedRing::kSlotBytes, bytes - begin);
      std::byte* slot = ring_.next();
      std::memcpy(slot, static_cast<const std::byte*>(from) + begin, part);
      check(cudaMemcpyAsync(static_cast<std::byte*>(memory) + begin, slot, part,
                            cudaMemcpyHostToDevice, stream_),
            "copying");
      const Event& copied = ring_.queued(stream_);
      if (begin + part == bytes) copied.hold(work);
    }
    return memory;
  }
  bool owns(void* memory) const { return in_use_.contains(memory); }
  void release(void* memory, cudaStream_t work) {
    const auto found = in_use_.find(memory);
    found->second->mark(work);
    released_.push_back({memory, std::move(found->second)});
    in_use_.erase(found);
  }

 private:
  struct Released {
    void* memory;
    std::unique_ptr<Event> done;
  };

  cudaStream_t stream_ = nullptr;
  BlockPool pool_{kUploadSegment, kAlignment, reserve, give_back};
  PinnedRing ring_;
  std::map<void*, std::unique_ptr<Event>> in_use_;  // recorded on release
  std::deque<Released> released_;                   // the oldest first
  std::vector<std::unique_ptr<Event>> spare_;
};

}  // namespace kette::cuda

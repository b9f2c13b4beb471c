// The CUDA devices: what there are, their memory, one stream each.
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>

#include "tensor/block_pool.h"
#include "tensor/cuda/launch.h"

namespace kette {
namespace cuda {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  fail("cuda: expected ", what, " to work, given \"", cudaGetErrorString(status), '"');
}

namespace {

constexpr std::size_t kSegment = std::size_t{1} << 26, kPinnedSegment = std::size_t{1} << 20;
constexpr std::size_t kUploadSegment = std::size_t{1} << 22;
/// A warp reads and writes 16 bytes a thread at once: that much lies in as few lines as it can.
constexpr std::size_t kAlignment = 512, kPinnedAlignment = 64;

void* reserve(std::size_t bytes) {
  void* memory = nullptr;
  if (cudaMalloc(&memory, bytes) == cudaSuccess) return memory;
  cudaGetLastError();  // forget it: the pool tries with less
  return nullptr;
}

void give_back(void* memory, std::size_t) { cudaFree(memory); }

/// Host memory that the device copies from and to by itself.
void* reserve_pinned(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, bytes), "pinned host memory");
  return memory;
}

void give_back_pinned(void* memory, std::size_t) { cudaFreeHost(memory); }

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "an event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t queue) { check(cudaEventRecord(event_, queue), "an event"); }
  /// Work given to the queue from now on waits for it.
  void hold(cudaStream_t queue) const {
    check(cudaStreamWaitEvent(queue, event_, 0), "waiting for an event");
  }
  void wait() const { check(cudaEventSynchronize(event_), "the work queued so far"); }
  bool is_past() const {
    const cudaError_t status = cudaEventQuery(event_);
    if (status != cudaErrorNotReady) check(status, "the work queued so far");
    return status == cudaSuccess;
  }
  // For destructors: an error shows up again in the next call.
  void settle() const noexcept { cudaEventSynchronize(event_); }
  void mark(cudaStream_t queue) noexcept { cudaEventRecord(event_, queue); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Pinned memory cut into equal slots that are used in turn: a copy from it returns at once, unless
/// all slots are still waiting.
class PinnedRing {
 public:
  static constexpr std::size_t kSlotBytes = std::size_t{1} << 18;

  /// The next slot, once the device is done with it.
  std::byte* next() {
    if (memory_ == nullptr) memory_ = reserve_pinned(kSlots * kSlotBytes);
    at_ = (at_ + 1) % kSlots;
    done_[at_].wait();
    return static_cast<std::byte*>(memory_) + at_ * kSlotBytes;
  }
  /// After the copy from that slot has been queued: when it is done.
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

/// Small blocks with values of the host's, copied by a stream of their own. A block is used again once
/// the work is done that was queued when it was released.
class Uploads {
 public:
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
    std::byte* slot = ring_.next();
    std::memcpy(slot, from, bytes);
    check(cudaMemcpyAsync(memory, slot, bytes, cudaMemcpyHostToDevice, stream_), "copying");
    ring_.queued(stream_).hold(work);
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
  std::map<void*, std::unique_ptr<Event>> in_use_;  // to be recorded on release
  std::deque<Released> released_;                   // the oldest first
  std::vector<std::unique_ptr<Event>> spare_;
};

/// Work is queued on one stream, so a block that is handed out again is only written after what
/// used it before is done: releasing needs no waiting.
class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int index) : index_((check(cudaSetDevice(index), "choosing it"), index)) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, index),
          "asking for the multiprocessors");
    std::size_t free = 0;
    check(cudaMemGetInfo(&free, &capacity_), "asking for the memory");
  }

  cudaStream_t stream() const {
    make_current();
    return stream_;
  }
  int multiprocessors() const { return multiprocessors_; }

  void* allocate(std::size_t bytes) override {
    make_current();
    void* memory = pool_.allocate(bytes);
    if (memory == nullptr) {
      trim();  // free segments of other sizes
      memory = pool_.allocate(bytes);
    }
    if (memory == nullptr) fail_for_memory(bytes);
    return memory;
  }
  void release(void* memory, std::size_t) override {
    {
      const std::lock_guard lock(uploads_mutex_);
      if (uploads_.owns(memory)) {
        cudaSetDevice(index_);
        return uploads_.release(memory, stream_);
      }
    }
    pool_.release(memory);
  }
  /// What is short, such as the ids of a batch, waits for no work and holds up only what comes after.
  void* upload(const void* from, std::size_t bytes) override {
    make_current();
    if (bytes == 0 || bytes > PinnedRing::kSlotBytes) {
      void* memory = allocate(bytes);
      if (bytes > 0) copy_from_host(memory, from, bytes);
      return memory;
    }
    const std::lock_guard lock(uploads_mutex_);
    void* memory = uploads_.upload(from, bytes, stream_);
    if (memory == nullptr) fail_for_memory(bytes);
    return memory;
  }
  void trim() override {
    synchronize();  // what is released may still be read and written by work that is queued
    pool_.trim();
  }

  void zero(void* memory, std::size_t bytes) override {
    check(cudaMemsetAsync(memory, 0, bytes, stream()), "clearing memory");
  }
  void copy_within(void* to, const void* from, std::size_t bytes) override {
    copy(to, from, bytes, cudaMemcpyDeviceToDevice);
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes) override {
    copy(to, from, bytes, cudaMemcpyDeviceToHost);
    synchronize();
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) override {
    copy(to, from, bytes, cudaMemcpyHostToDevice);
    synchronize();
  }
  std::unique_ptr<HostCopy> start_copy_to_host(const void* from, std::size_t bytes) override {
    return std::make_unique<CudaCopy>(pinned_, from, bytes, stream());
  }
  void synchronize() override { check(cudaStreamSynchronize(stream()), "the work queued so far"); }

  MemoryStatistics memory() const override { return pool_.statistics(); }
  std::size_t capacity() const override { return capacity_; }

 private:
  void make_current() const { check(cudaSetDevice(index_), "choosing the device"); }
  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) const {
    check(cudaMemcpyAsync(to, from, bytes, kind, stream()), "copying");
  }
  [[noreturn]] void fail_for_memory(std::size_t bytes) const {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for the memory");
    const MemoryStatistics pool = pool_.statistics();
    fail("memory: expected room for ", bytes >> 20, " MiB more on cuda:", index_, ", given ",
         free >> 20, " of ", total >> 20, " MiB free (tensors hold ", pool.in_use_bytes >> 20,
         " MiB, ", pool.cached_bytes >> 20,
         " MiB are kept for reuse, the rest is other programs'); fewer tokens a batch, "
         "--precision bf16 or a smaller model need less");
  }

  int index_, multiprocessors_ = 0;
  std::size_t capacity_ = 0;
  cudaStream_t stream_ = nullptr;
  BlockPool pool_{kSegment, kAlignment, reserve, give_back};
  BlockPool pinned_{kPinnedSegment, kPinnedAlignment, reserve_pinned, give_back_pinned};
  std::mutex uploads_mutex_;
  Uploads uploads_;
};

CudaBackend& backend_of(int index) {
  // Never destroyed: tensors with static lifetime may outlive any order of destruction.
  constexpr int kMost = 64;
  static CudaBackend* backends[kMost] = {};
  static std::mutex mutex;
  KETTE_CHECK(index >= 0 && index < kMost, "device: expected cuda:0 to cuda:", kMost - 1,
              ", given cuda:", index);
  const std::lock_guard lock(mutex);
  CudaBackend*& known = backends[index];
  if (known == nullptr) known = new CudaBackend(index);
  return *known;
}

}  // namespace

cudaStream_t stream(CudaExec exec) { return backend_of(exec.device).stream(); }
int multiprocessors(CudaExec exec) { return backend_of(exec.device).multiprocessors(); }

}  // namespace cuda

Backend& cuda_backend(int index) { return cuda::backend_of(index); }

std::vector<std::string> cuda_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return {};
  }
  std::vector<std::string> devices;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties;
    cuda::check(cudaGetDeviceProperties(&properties, index), "asking for a device");
    std::ostringstream line;
    line << properties.name << ", sm_" << properties.major << properties.minor << ", "
         << properties.multiProcessorCount << " multiprocessors, "
         << (properties.totalGlobalMem >> 20) << " MiB";
    devices.push_back(line.str());
  }
  return devices;
}

std::string why_no_cuda() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();
  return status == cudaSuccess
             ? "there is no CUDA device"
             : std::string("no driver that works with it (") + cudaGetErrorString(status) + ")";
}

}  // namespace kette

// The CPU's memory: a caching allocator. Fresh pages from malloc cost more than a small kernel, and
// a training step asks for the same sizes over and over; so blocks are kept by size class and
// handed out again.
#include "tensor/backend.h"

#include <sys/mman.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector
constexpr std::size_t kHugePage = std::size_t{1} << 21;

/// Rounds up to one of eight classes per power of two: at most 12.5 % is wasted.
std::size_t size_class(std::size_t bytes) {
  if (bytes <= 512)
    return (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  const std::size_t step = std::bit_floor(bytes - 1) / 8;
  return (bytes + step - 1) / step * step;
}

class CpuBackend final : public Backend {
 public:
  void* allocate(std::size_t bytes) override {
    const std::size_t size = size_class(bytes);
    const std::lock_guard lock(mutex_);
    ++statistics_.allocations;
    statistics_.in_use_bytes += static_cast<std::int64_t>(size);
    statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.in_use_bytes);
    if (auto& blocks = free_[size]; !blocks.empty()) {
      void* memory = blocks.back();
      blocks.pop_back();
      statistics_.cached_bytes -= static_cast<std::int64_t>(size);
      return memory;
    }
    ++statistics_.fresh_allocations;
    const std::size_t alignment = size >= kHugePage ? kHugePage : kAlignment;
    void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory == nullptr) {
      statistics_.in_use_bytes -= static_cast<std::int64_t>(size);
      fail("memory: expected room for ", size >> 20, " MiB more, given none (",
           statistics_.in_use_bytes >> 20, " MiB are in use); a smaller batch or model needs less");
    }
    if (alignment == kHugePage)
      ::madvise(memory, size, MADV_HUGEPAGE);  // fewer page faults; advice only
    return memory;
  }

  void release(void* memory, std::size_t bytes) override {
    const std::size_t size = size_class(bytes);
    const std::lock_guard lock(mutex_);
    statistics_.in_use_bytes -= static_cast<std::int64_t>(size);
    statistics_.cached_bytes += static_cast<std::int64_t>(size);
    free_[size].push_back(memory);
  }

  void trim() override {
    const std::lock_guard lock(mutex_);
    for (auto& [size, blocks] : free_) {
      for (void* memory : blocks) std::free(memory);
    }
    free_.clear();
    statistics_.cached_bytes = 0;
  }

  void zero(void* memory, std::size_t bytes) override { std::memset(memory, 0, bytes); }
  void copy_within(void* to, const void* from, std::size_t bytes) override {
    std::memmove(to, from, bytes);
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void synchronize() override {}

  MemoryStatistics memory() const override {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> free_;  // size class -> blocks
  MemoryStatistics statistics_;
};

}  // namespace

Backend& backend(Device device) {
  KETTE_CHECK(device.kind == DeviceKind::cpu,
              "device: expected cpu (this build has no CUDA), given ", device.str());
  // Never destroyed: tensors with static lifetime may outlive any order of destruction.
  static CpuBackend* const cpu = new CpuBackend;
  return *cpu;
}

Device parse_device(const std::string& text) {
  if (text == "cpu") return Device{};
  KETTE_CHECK(text != "cuda" && text.rfind("cuda:", 0) != 0, "device: expected cpu, given ", text,
              "; this build has no CUDA backend");
  fail("device: expected cpu, given ", text);
}

}  // namespace kette

// The CPU's memory: a pool of blocks over segments of the address space, whose pages the system
// provides at the first access.
#include "tensor/backend.h"

#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "tensor/block_pool.h"
#include "tensor/cpu/parallel.h"
#include "tensor/error.h"
#include "tensor/machine.h"

#if defined(__SANITIZE_ADDRESS__)
#define KETTE_ADDRESS_SANITIZER
#elif defined(__has_feature)  // clang
#if __has_feature(address_sanitizer)
#define KETTE_ADDRESS_SANITIZER
#endif
#endif
#ifdef KETTE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#endif

namespace kette {
namespace {

/// A power of two plus a huge page. The system puts segments side by side: with a power of two,
/// parameters, gradients and moments in segments of their own would all map to the same cache sets
/// (on Zen 3 an optimiser then takes eleven times as long).
constexpr std::size_t kSegment = (std::size_t{1} << 28) + (std::size_t{1} << 21);
constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector

void* reserve(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  ::madvise(memory, bytes, MADV_HUGEPAGE);  // fewer page faults; advice only
  ASAN_POISON_MEMORY_REGION(memory, bytes);
  return memory;
}

void give_back(void* memory, std::size_t bytes) {
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
  ::munmap(memory, bytes);
}

struct CpuCopy final : HostCopy {
  std::vector<std::byte> bytes;
  const void* wait() override { return bytes.data(); }
  bool arrived() const override { return true; }
};

struct CpuRecording final : Recording {
  std::function<void()> work;
  void replay() override { work(); }
};

class CpuBackend final : public Backend {
 public:
  void* allocate(std::size_t bytes) override {
    void* memory = pool_.allocate(bytes);
    if (memory == nullptr) {  // free segments of other sizes may make room
      pool_.trim();
      memory = pool_.allocate(bytes);
    }
    KETTE_CHECK(memory != nullptr, "memory: expected room for ", memory_size(bytes),
                " more, given none (", pool_.statistics().in_use_bytes >> 20,
                " MiB are in use); a smaller batch or model needs less");
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
    return memory;
  }

  void release(void* memory, std::size_t bytes) override {
    ASAN_POISON_MEMORY_REGION(memory, bytes);
    pool_.release(memory);
  }

  void trim() override { pool_.trim(); }

  void zero(void* memory, std::size_t bytes) override {
    constexpr std::int64_t kBlock = std::int64_t{1} << 20;  // all gradients take a while
    cpu::parallel_blocks(static_cast<std::int64_t>(bytes), kBlock, 1,
                         [&](std::int64_t begin, std::int64_t end) {
                           std::memset(static_cast<std::byte*>(memory) + begin, 0,
                                       static_cast<std::size_t>(end - begin));
                         });
  }
  void copy_within(void* to, const void* from, std::size_t bytes) override {
    std::memmove(to, from, bytes);
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void* upload(const void* from, std::size_t bytes) override {
    void* memory = allocate(bytes);
    if (bytes > 0) std::memcpy(memory, from, bytes);
    return memory;
  }
  std::unique_ptr<HostCopy> start_copy_to_host(const void* from, std::size_t bytes) override {
    const auto* first = static_cast<const std::byte*>(from);
    auto copy = std::make_unique<CpuCopy>();
    copy->bytes.assign(first, first + bytes);
    return copy;
  }
  void synchronize() override {}
  void synchronize_device() override {}
  std::unique_ptr<Recording> record(std::function<void()> work) override {
    auto recording = std::make_unique<CpuRecording>();
    recording->work = std::move(work);
    return recording;
  }

  MemoryStatistics memory() const override { return pool_.statistics(); }
  void watch_memory(MemoryObserver* observer) override { pool_.watch(observer); }
  std::size_t capacity() const override { return usable_memory(); }
  /// For the base model the residual stream is then 2 MiB, and products are still as fast as with
  /// larger parts.
  std::int64_t batch_elements() const override { return std::int64_t{1} << 19; }

 private:
  BlockPool pool_{kSegment, kAlignment, reserve, give_back, true};
};

}  // namespace

Backend& cpu_backend() {
  // Never destroyed: tensors with static lifetime may outlive any order of destruction.
  static CpuBackend* const cpu = new CpuBackend;
  return *cpu;
}

}  // namespace kette

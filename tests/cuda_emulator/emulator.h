// What tests ask of the emulator and tell it. The same test program takes its kernels from the
// library of a GPU, too, so the emulator is looked for when it runs.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace emulator {

struct KernelCounts {
  std::uint64_t launches = 0;
  /// Loads and stores of device memory, one after the other, by the thread that made the most.
  std::uint64_t serial_accesses = 0;
};

struct Counts {
  std::uint64_t launches = 0;    ///< of kernels, the library's products among them, and of graphs
  std::uint64_t graphs = 0;      ///< of those, launches of a graph, which holds several kernels
  std::uint64_t recordings = 0;  ///< graphs that were made
  std::uint64_t host_waits = 0;  ///< of the host for work that it did not know to be done
  std::uint64_t copies_to_device = 0, copies_to_host = 0;
  std::uint64_t bytes_to_device = 0, bytes_to_host = 0;
  std::map<std::string, KernelCounts> kernels;  ///< by name, without template arguments

  /// A line for each kernel, for messages.
  std::string str() const {
    std::string lines;
    for (const auto& [name, kernel] : kernels) {
      lines += name + ": " + std::to_string(kernel.launches) + " launches, " +
               std::to_string(kernel.serial_accesses) + " serial accesses\n";
    }
    return lines;
  }
};

/// Accesses are counted where g++ reports them: not by clang, nor where a sanitizer wants to know.
#if defined(__clang__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kCountsAccesses = false;
#else
inline constexpr bool kCountsAccesses = true;
#endif

class Emulator {
 public:
  virtual ~Emulator() = default;

  /// What `function` launches, copies and waits for; the work it queues is done on return.
  virtual Counts counted(const std::function<void()>& function) = 0;
  /// Of everything that is left to chance, see chance.h.
  virtual void set_seed(std::uint64_t seed) = 0;
  virtual std::uint64_t seed() const = 0;

  /// Runs a block of threads here and now.
  virtual void run(unsigned threads, const std::function<void(unsigned thread)>& kernel) = 0;
  // What those threads can do, see tensor/cuda/mma.h.
  virtual void block_barrier() = 0;
  virtual void start_copy(void* to, const void* from, std::size_t bytes, bool exists) = 0;
  virtual void finish_copies() = 0;
  virtual void mma(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                   std::uint32_t b1) = 0;
  virtual void load_matrices(std::uint32_t (&words)[4], const std::uint16_t* row,
                             bool transposed) = 0;

  /// From now on, the device has so much memory more than is in use; nothing: as much as is wanted.
  virtual void limit_memory(std::optional<std::size_t> more) = 0;
  // Memory of either side, and work on a stream of the tests' own.
  virtual void* allocate(std::size_t bytes, bool pinned) = 0;
  virtual void release(void* memory, bool pinned) = 0;
  virtual void queue_copy(void* to, const void* from, std::size_t bytes, bool to_device) = 0;
  virtual void synchronize() = 0;
};

/// Null where kernels run on a GPU or there are none.
inline Emulator* find() {
  void* function = dlsym(RTLD_DEFAULT, "kette_cuda_emulator");
  return function ? reinterpret_cast<Emulator* (*)()>(function)() : nullptr;
}

}  // namespace emulator

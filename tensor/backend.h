// What a device offers besides maths: memory and copies. The maths are the overloads in kernels.h;
// a new kind of device implements this interface, adds one execution tag, and the linker names
// every kernel it lacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "tensor/device.h"

namespace kette {

struct MemoryStatistics {
  std::int64_t in_use_bytes = 0;       ///< handed out now
  std::int64_t cached_bytes = 0;       ///< kept for reuse
  std::int64_t peak_bytes = 0;         ///< the most ever handed out at once
  std::int64_t allocations = 0;        ///< requests served
  std::int64_t fresh_allocations = 0;  ///< of those, the ones the cache could not serve
};

class MemoryObserver;  // tensor/observer.h

/// A copy to the host that is under way.
class HostCopy {
 public:
  virtual ~HostCopy() = default;
  /// Waits until the values have arrived and returns them.
  virtual const void* wait() = 0;
  /// Whether the values have arrived.
  virtual bool arrived() const = 0;
};

/// Device work that is recorded once and replayed many times.
class Recording {
 public:
  virtual ~Recording() = default;
  /// Queues all of the work at once. It uses the same memory, with the values that it then holds.
  virtual void replay() = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// At least `bytes` of 64-byte aligned memory, contents unspecified.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory, std::size_t bytes) = 0;
  /// allocate(), filled with values from the host.
  virtual void* upload(const void* from, std::size_t bytes) = 0;
  /// Gives every cached block back to the system.
  virtual void trim() = 0;

  virtual void zero(void* memory, std::size_t bytes) = 0;
  virtual void copy_within(void* to, const void* from, std::size_t bytes) = 0;
  virtual void copy_to_host(void* to, const void* from, std::size_t bytes) = 0;
  virtual void copy_from_host(void* to, const void* from, std::size_t bytes) = 0;
  /// Copies the values as they are after all work queued so far. The device goes on meanwhile.
  virtual std::unique_ptr<HostCopy> start_copy_to_host(const void* from, std::size_t bytes) = 0;
  /// Waits until all work queued on the device is done.
  virtual void synchronize() = 0;
  /// The same for work that other libraries have queued there, too. While this thread records it is
  /// an Error.
  virtual void synchronize_device() = 0;
  /// Records the device work that `work` queues on this thread; only replay() runs it. `work` must
  /// not copy from or to the host, nor keep memory that it allocates. What other threads queue
  /// meanwhile runs as always and is no part of it; what they record waits.
  virtual std::unique_ptr<Recording> record(std::function<void()> work) = 0;

  virtual MemoryStatistics memory() const = 0;
  /// From now on tells `observer` of every block; it replaces the one before. Null: nobody is told.
  virtual void watch_memory(MemoryObserver* observer) = 0;
  /// Total memory of the device in bytes, free or not; on a CPU what this process may use of it.
  virtual std::size_t capacity() const = 0;
  /// The best size of a part of a batch (whose activations are held at once), in elements of the
  /// residual stream: tokens * width.
  virtual std::int64_t batch_elements() const = 0;
};

Backend& backend(Device device);

// The backends that backend() chooses from.
Backend& cpu_backend();
Backend& cuda_backend(int index);

}  // namespace kette

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

/// Values on their way to the host.
class HostCopy {
 public:
  virtual ~HostCopy() = default;
  /// Waits for them.
  virtual const void* wait() = 0;
  /// Whether they are there.
  virtual bool arrived() const = 0;
};

/// Work for a device that is done many times over.
class Recording {
 public:
  virtual ~Recording() = default;
  /// Queues all of it at once: with the same memory, and the values that are there by then.
  virtual void replay() = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// At least `bytes` of 64-byte aligned memory, contents unspecified.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory, std::size_t bytes) = 0;
  /// allocate(), with values of the host's.
  virtual void* upload(const void* from, std::size_t bytes) = 0;
  /// Gives every cached block back to the system.
  virtual void trim() = 0;

  virtual void zero(void* memory, std::size_t bytes) = 0;
  virtual void copy_within(void* to, const void* from, std::size_t bytes) = 0;
  virtual void copy_to_host(void* to, const void* from, std::size_t bytes) = 0;
  virtual void copy_from_host(void* to, const void* from, std::size_t bytes) = 0;
  /// Takes the values as they are after all work given to the device so far, and lets it go on.
  virtual std::unique_ptr<HostCopy> start_copy_to_host(const void* from, std::size_t bytes) = 0;
  /// Waits until all work given to the device is done.
  virtual void synchronize() = 0;
  /// Notes what `work` gives the device to do, which is only done by replay(). It must neither copy
  /// from or to the host, nor keep memory that it allocates, and no other thread may give the device
  /// work meanwhile.
  virtual std::unique_ptr<Recording> record(std::function<void()> work) = 0;

  virtual MemoryStatistics memory() const = 0;
  /// Tells an observer of every block from now on, until it is another's turn; null: nobody.
  virtual void watch_memory(MemoryObserver* observer) = 0;
  /// Bytes of memory the device has, free or not.
  virtual std::size_t capacity() const = 0;
  /// Elements of the residual stream that a part of a batch best has, whose activations are held at once.
  virtual std::int64_t batch_elements() const = 0;
};

Backend& backend(Device device);

// What backend() chooses from.
Backend& cpu_backend();
Backend& cuda_backend(int index);

}  // namespace kette

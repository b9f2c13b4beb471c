// Who watches a program at work (inspect/): told of every stretch of work as it begins and ends, of the
// FLOPs of products, and of every block of memory. Where nobody watches, that costs a branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace kette {

class Tensor;

/// Told of a thread's work. Stretches of work lie one in the other.
class WorkObserver {
 public:
  virtual ~WorkObserver() = default;
  /// reads, writes: what the work moves, as far as that is known; otherwise empty.
  virtual void begin(const char* name, std::span<const Tensor* const> reads,
                     std::span<const Tensor* const> writes) = 0;
  virtual void end() = 0;
  /// Multiplications and additions of products that the work at hand has given to the device.
  virtual void count_flops(double flops) = 0;

  /// The one that watches this thread, or null.
  static WorkObserver* current();
};

/// Watches this thread while one is alive.
class WorkObservation {
 public:
  explicit WorkObservation(WorkObserver* observer);
  ~WorkObservation();
  WorkObservation(const WorkObservation&) = delete;
  WorkObservation& operator=(const WorkObservation&) = delete;

 private:
  WorkObserver* previous_;
};

/// A stretch of work with a name: a phase of a step, or what the device does outside of ops (those are
/// heard of by themselves, autograd/op_observer.h).
class Work {
 public:
  using Tensors = std::initializer_list<const Tensor*>;

  explicit Work(const char* name, Tensors reads = {}, Tensors writes = {})
      : observer_(WorkObserver::current()) {
    if (observer_)
      observer_->begin(name, {reads.begin(), reads.end()}, {writes.begin(), writes.end()});
  }
  ~Work() {
    if (observer_) observer_->end();
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

 private:
  WorkObserver* observer_;
};

inline void count_flops(double flops) {
  if (WorkObserver* observer = WorkObserver::current()) observer->count_flops(flops);
}

/// Told of the blocks of a device's memory (Backend::watch_memory), by whatever thread takes or gives back
/// one, but by one at a time. Must not take any itself.
class MemoryObserver {
 public:
  virtual ~MemoryObserver() = default;
  /// bytes: of the block, which may be somewhat more than was asked for.
  virtual void allocated(const void* memory, std::int64_t bytes) = 0;
  virtual void released(const void* memory, std::int64_t bytes) = 0;
};

}  // namespace kette

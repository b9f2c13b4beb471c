// Observers of a running program (inspect/). They are told when each stretch of work begins and
// ends, the FLOPs of products, and every block of memory. Without an observer this costs one
// branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace kette {

class Tensor;

/// Is told of one thread's work. Stretches of work nest.
class WorkObserver {
 public:
  virtual ~WorkObserver() = default;
  /// reads, writes: the tensors that the work reads and writes; empty if unknown.
  virtual void begin(const char* name, std::span<const Tensor* const> reads,
                     std::span<const Tensor* const> writes) = 0;
  virtual void end() = 0;
  /// Multiplications and additions of the products that the current work has queued on the device.
  virtual void count_flops(double flops) = 0;

  /// This thread's observer, or null.
  static WorkObserver* current();
};

/// While it lives, `observer` watches this thread.
class WorkObservation {
 public:
  explicit WorkObservation(WorkObserver* observer);
  ~WorkObservation();
  WorkObservation(const WorkObservation&) = delete;
  WorkObservation& operator=(const WorkObservation&) = delete;

 private:
  WorkObserver* previous_;
};

/// A named stretch of work: a phase of a step, or device work outside of ops (ops report
/// themselves, autograd/op_observer.h).
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

/// Is told of the blocks of a device's memory (Backend::watch_memory), by the thread that allocates
/// or releases, one thread at a time. It must not allocate device memory itself.
class MemoryObserver {
 public:
  virtual ~MemoryObserver() = default;
  /// bytes: the size of the block, which may be somewhat larger than requested.
  virtual void allocated(const void* memory, std::int64_t bytes) = 0;
  virtual void released(const void* memory, std::int64_t bytes) = 0;
};

}  // namespace kette

// Distributes sentences to workers. Each worker runs its own search and never waits for the others.
// This is faster than all threads computing every product together. A single worker lets the
// kernels use all threads. A GPU has one worker, as it needs many rows at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <vector>

#include "tensor/device.h"

namespace kette {

/// done sentences of total. Called by one thread at a time.
using SentenceProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// The smallest share of work for a worker: an eighth of its budget. Less is not worth reading all
/// weights for.
std::int64_t minimum_share(std::int64_t budget);

/// Distributes items 0 .. costs.size() - 1, most expensive first. Near the end a worker gets at
/// most its share of the remaining costs (or `minimum`), so that all workers finish together.
class JobQueue {
 public:
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

  /// window: sort only among adjacent items that cost this much together, so that the first items
  /// are done early.
  JobQueue(std::vector<std::int64_t> costs, std::int64_t workers, std::int64_t minimum,
           std::int64_t window = kAll);
  /// Items that cost at most `room` together. If `idle`, at least one.
  std::vector<std::int64_t> take(std::int64_t room, bool idle);
  /// Leaves nothing to take.
  void stop();

 private:
  std::mutex mutex_;
  std::vector<std::int64_t> costs_, order_;
  std::int64_t workers_, minimum_, left_ = 0;
  std::size_t next_ = 0;
};

/// The number of threads (0: all) and of workers. There are no more workers than shares of work.
struct WorkerGroup {
  std::int64_t threads = 1, workers = 1;

  WorkerGroup(Device device, std::int64_t threads_wanted, const std::vector<std::int64_t>& costs,
              std::int64_t minimum);
  /// Calls work(), which takes from the queue, once in each worker, in parallel. Throws the first
  /// error. An error stops the queue, so that the others finish only what they have begun.
  void run(JobQueue& queue, const std::function<void()>& work) const;
};

}  // namespace kette

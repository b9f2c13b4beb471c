// Sharing sentences among workers. Each worker runs its own search with its own rows and never
// waits for the others, which beats sharing out every product; one worker alone lets the kernels
// use all threads. A GPU is one worker's: it wants many rows at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <vector>

#include "tensor/device.h"

namespace kette {

/// done sentences of total; called by one thread at a time.
using SentenceProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// Fewer sentences than make up an eighth of a worker's budget are not worth reading all the
/// weights for.
std::int64_t least_share(std::int64_t budget);

/// Items 0 .. costs.size() - 1, handed out dearest first. Near the end a worker gets no more than
/// its fair share of what is left (or `least`), so that all of them finish together.
class JobQueue {
 public:
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

  /// window: dearest first only among so many neighbours as cost that together, for who waits for the first ones.
  JobQueue(std::vector<std::int64_t> costs, std::int64_t workers, std::int64_t least,
           std::int64_t window = kAll);
  /// Items of at most `room` together; when `idle`, one at least.
  std::vector<std::int64_t> take(std::int64_t room, bool idle);

 private:
  std::mutex mutex_;
  std::vector<std::int64_t> costs_, order_;
  std::int64_t workers_, least_, left_ = 0;
  std::size_t next_ = 0;
};

/// How many threads there are (0 asks for all) and how many of them work for themselves: no more
/// than there are shares of work.
struct Workforce {
  std::int64_t threads = 1, workers = 1;

  Workforce(Device device, std::int64_t threads_wanted, const std::vector<std::int64_t>& costs,
            std::int64_t least);
  /// Calls work() once for each worker, at the same time, and throws the first of their errors.
  void run(const std::function<void()>& work) const;
};

}  // namespace kette

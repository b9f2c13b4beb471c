// Sharing sentences among workers. Each worker runs its own search with its own rows and never
// waits for the others, which beats sharing out every product; one worker alone lets the kernels
// use all threads.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace kette {

/// Items 0 .. costs.size() - 1, handed out dearest first. Near the end a worker gets no more than
/// its fair share of what is left, so that all of them finish together.
class JobQueue {
 public:
  JobQueue(std::vector<std::int64_t> costs, std::int64_t workers);
  /// Items of at most `room` together; when `idle`, one at least.
  std::vector<std::int64_t> take(std::int64_t room, bool idle);

 private:
  std::mutex mutex_;
  std::vector<std::int64_t> costs_, order_;
  std::int64_t workers_, left_ = 0;
  std::size_t next_ = 0;
};

/// 0 asks for all threads; never more workers than items.
std::int64_t worker_count(std::int64_t threads, std::int64_t items);

/// Calls work() on so many threads at once and throws the first of their errors.
void run_workers(std::int64_t workers, const std::function<void()>& work);

}  // namespace kette

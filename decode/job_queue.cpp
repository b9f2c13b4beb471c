#include "decode/job_queue.h"

#include <omp.h>

#include <algorithm>
#include <numeric>

#include "tensor/error.h"
#include "tensor/parallel_error.h"
#include "tensor/with_threads.h"

namespace kette {

namespace {

std::int64_t total(const std::vector<std::int64_t>& costs) {
  return std::accumulate(costs.begin(), costs.end(), std::int64_t{0});
}

}  // namespace

std::int64_t minimum_share(std::int64_t budget) { return std::max<std::int64_t>(1, budget / 8); }

JobQueue::JobQueue(std::vector<std::int64_t> costs, std::int64_t workers, std::int64_t minimum,
                   std::int64_t window)
    : costs_(std::move(costs)), order_(costs_.size()), workers_(workers), minimum_(minimum) {
  std::iota(order_.begin(), order_.end(), 0);
  for (auto begin = order_.begin(); begin != order_.end();) {
    auto end = begin;
    for (std::int64_t cost = 0; end != order_.end() && cost < window; ++end) cost += costs_[*end];
    std::stable_sort(begin, end,
                     [&](std::int64_t a, std::int64_t b) { return costs_[a] > costs_[b]; });
    begin = end;
  }
  left_ = total(costs_);
}

std::vector<std::int64_t> JobQueue::take(std::int64_t room, bool idle) {
  const std::lock_guard lock(mutex_);
  const std::int64_t share = std::min(room, std::max(minimum_, left_ / workers_));
  std::vector<std::int64_t> items;
  std::int64_t taken = 0;
  for (; next_ < order_.size(); ++next_) {
    const std::int64_t cost = costs_[order_[next_]];
    if (taken + cost > share && !(idle && items.empty())) break;
    taken += cost;
    items.push_back(order_[next_]);
  }
  left_ -= taken;
  return items;
}

void JobQueue::stop() {
  const std::lock_guard lock(mutex_);
  next_ = order_.size();
  left_ = 0;
}

WorkerGroup::WorkerGroup(Device device, std::int64_t threads_wanted,
                         const std::vector<std::int64_t>& costs, std::int64_t minimum) {
  KETTE_CHECK(threads_wanted >= 0, "threads: expected at least 1, or 0 for all, given ",
              threads_wanted);
  threads = threads_wanted > 0 ? threads_wanted : omp_get_max_threads();
  if (device.runs_ahead()) return;  // which does what several threads queue one after the other
  const std::int64_t shares =
      std::min(total(costs) / minimum, static_cast<std::int64_t>(costs.size()));
  workers = std::max<std::int64_t>(1, std::min(threads, shares));
}

void WorkerGroup::run(JobQueue& queue, const std::function<void()>& work) const {
  ParallelError error;
  const auto work_or_stop = [&] {
    try {
      work();
    } catch (...) {
      queue.stop();
      throw;
    }
  };
  if (workers == 1) {
    const WithThreads all(threads);
    error.guard(work_or_stop);
  } else {
#pragma omp parallel num_threads(static_cast <int>(workers))
    error.guard(work_or_stop);
  }
  error.rethrow();
}

}  // namespace kette

#include "decode/run_requests.h"

#include "decode/job_queue.h"

namespace kette {

void WorkOptions::check() const {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;  // sums of a few times as many fit
  KETTE_CHECK(batch_tokens > 0 && batch_tokens <= kMost, "batch tokens: expected from 1 to ", kMost,
              ", given ", batch_tokens);
  KETTE_CHECK(runner == nullptr || tap == nullptr,
              "decoder: expected engines of one's own where a tap looks on, given others'");
}

void run_requests(const Ensemble& model, const WorkOptions& work,
                  const std::vector<std::int64_t>& costs, const MakeRequest& make, bool early) {
  if (work.runner) return work.runner->run(std::ssize(costs), make);
  const std::int64_t share = minimum_share(work.batch_tokens);
  const WorkerGroup group(model.device(), work.threads, costs, share);
  // Twice the work in progress.
  const std::int64_t window = early ? 2 * group.workers * work.batch_tokens : JobQueue::kAll;
  JobQueue queue(costs, group.workers, share, window);
  group.run(queue, [&] {
    Engine engine(model, {work.tap});
    const auto supply = [&](std::int64_t room, bool idle) {
      std::vector<Request> taken;
      for (const std::int64_t i : queue.take(room, idle)) taken.push_back(make(i));
      return taken;
    };
    run(engine, work.batch_tokens, supply, work.before_step);
  });
}

}  // namespace kette

#include <doctest/doctest.h>

#include "decode/job_queue.h"
#include "tensor/error.h"

using namespace kette;

TEST_CASE("workers: an error of one leaves the others nothing to begin") {
  const std::vector<std::int64_t> costs(8, 1);
  for (const std::int64_t workers : {1, 2}) {
    const WorkerGroup group({}, workers, costs, 1);
    REQUIRE(group.workers == workers);
    JobQueue queue(costs, workers, 1);
    const auto work = [&] {
      const std::vector<std::int64_t> taken = queue.take(1, true);
      KETTE_CHECK(taken != std::vector<std::int64_t>{0}, "expected another item, given the first");
    };
    CHECK_THROWS_WITH_AS(group.run(queue, work), "expected another item, given the first", Error);
    CHECK(queue.take(8, true).empty());
  }
}

// The metrics of a server, as Prometheus reads them.
#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <thread>

#include "serve/metrics.h"
#include "tests/support.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("metrics: a gauge may wait for a thread that counts something") {
  Metrics metrics;
  std::thread worker;
  metrics.gauge("waited", {{"for", "a worker"}}, [&] {
    std::promise<void> promise;
    std::future<void> counted = promise.get_future();
    worker = std::thread([&metrics, promise = std::move(promise)]() mutable {
      metrics.add("done");
      metrics.observe("seconds", 0.5);
      promise.set_value();
    });
    return counted.wait_for(std::chrono::seconds(5)) == std::future_status::ready ? 1.0 : 0.0;
  });
  const std::string text = metrics.text();
  worker.join();
  CHECK(contains(text, "# TYPE waited gauge\nwaited{for=\"a worker\"} 1\n"));
  CHECK(contains(text, "# TYPE done counter\ndone 1\n"));
  CHECK(contains(text, "seconds_count 1\n"));
}

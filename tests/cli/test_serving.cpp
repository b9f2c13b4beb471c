// Signals to a server, while it loads models.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include "cli/serving.h"
#include "tests/in_child.h"
#include "tests/support.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("serving: a signal to end waits for no models, neither the first nor others") {
  if (kThreadSanitizer) return;  // which forbids threads behind a fork
  for (const int last : {1, 2}) {
    CAPTURE(last);
    int loads = 0;
    cli::Serving serving;
    serving.say = [](const std::string&) {};
    serving.load = [&] {
      ++loads;
      std::raise(loads < last ? SIGHUP : SIGTERM);
      if (loads == last) std::this_thread::sleep_for(std::chrono::seconds(60));
      return std::make_shared<const ServedModels>();
    };
    CHECK(in_child([&] {
            cli::serve(serving);
            return 3;
          }) == 0);
  }
}

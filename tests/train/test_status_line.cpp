#include <doctest/doctest.h>

#include <thread>

#include "train/status_line.h"

using namespace kette;

TEST_CASE("status line: times as people read them, and none left to tell before a share is done") {
  CHECK(clock_time(61.4) == "1:01");
  CHECK(clock_time(3723) == "1:02:03");
  CHECK(time_left(30, 0.25) == "  1:30 left");
  CHECK(time_left(30, 0).empty());
}

TEST_CASE("status line: silent until work takes long") {
  StatusLine line(false), quiet(true);
  bool asked = false;
  const auto ask = [&] {
    asked = true;
    return std::string("status line: a test");
  };
  while (line.seconds() < 1) {
    line.show(ask);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  CHECK(!asked);
  while (line.seconds() < 3) {
    quiet.show(ask);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  CHECK(!asked);
  line.show(ask);
  CHECK(asked);
}

#include <doctest/doctest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "cli/host.h"
#include "tests/support.h"
#include "train/status_line.h"

using namespace kette;
using kette::testing::contains;

namespace {

struct Seen {
  std::string text;
  int status = 0;
};

/// What a terminal of 61 columns sees of the action, and how the process of its own ended that has done it.
template <class Action>
Seen on_terminal(const char* kind, Action&& action) {
  int terminal = -1;
  winsize size{.ws_row = 24, .ws_col = 61, .ws_xpixel = 0, .ws_ypixel = 0};
  std::cout.flush();  // or the child writes what is left of it
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  REQUIRE(child >= 0);
  if (child == 0) {
    ::setenv("TERM", kind, 1);
    action();
    ::_exit(0);
  }
  Seen seen;
  char bytes[4096];
  for (ssize_t count;
       (count = ::read(terminal, bytes, sizeof bytes)) > 0;) {  // an error at its end
    seen.text.append(bytes, static_cast<std::size_t>(count));
  }
  ::close(terminal);
  ::waitpid(child, &seen.status, 0);
  return seen;
}

/// Shows a line, half done, as soon as there is one to show.
void show_half(StatusLine& line, const std::string& text) {
  while (line.seconds() < 2.1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  line.show(0.5, [&] { return text; });
}

}  // namespace

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
    line.show(0, ask);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  CHECK(!asked);
  while (line.seconds() < 3) {
    quiet.show(0, ask);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  CHECK(!asked);
  line.show(0, ask);
  CHECK(asked);
}

TEST_CASE("status line: a bar of what is done, never wider than the terminal") {
  const std::string done(15, '#'), open(15, '-');
  CHECK(progress_bar(0, "text", 80) == "text");
  CHECK(progress_bar(0.5, "text", 80) == "[" + done + open + "]  50 %  text");
  CHECK(progress_bar(2, "", 80) == "[" + done + done + "] 100 %  ");
  const std::string text = "0:02 left  step 7  loss 2.500  25000 + 25000 tokens/s";
  CHECK(progress_bar(0.5, text, 71) == "[####----]  50 %  " + text);
  CHECK(progress_bar(0.5, text, 70) ==
        "[" + done + open + "]  50 %  0:02 left  step 7  loss 2.500");
  CHECK(progress_bar(0.5, text, 40) == " 50 %  0:02 left  step 7  loss 2.500");  // without a bar
  CHECK(progress_bar(0.5, "text", 9) == " 50 %");
  CHECK(progress_bar(0, "Größe", 4) == "Größ");
  for (int columns = 0; columns < 120; ++columns) {
    CHECK(progress_bar(0.3, text, columns).size() <= static_cast<std::size_t>(columns));
  }
}

TEST_CASE("status line: a terminal shows it in place, and other output without it") {
  const Seen seen = on_terminal("xterm", [] {
    StatusLine line(false);
    show_half(line, "step 7");
    cli::to_stderr() << "a message\n";
    StatusLine(false).say("another");
    show_half(line, "step 8");  // too early to be shown
  });
  INFO(seen.text);
  const std::string shown = "\r\033[K[###############---------------]  50 %  0:02 left  step 7";
  CHECK(seen.text == shown + "\r\033[Ka message\r\nanother\r\n");
}

TEST_CASE("status line: a long one is cut at the terminal's width") {
  const Seen seen = on_terminal("xterm", [] {
    StatusLine line(false);
    show_half(line, "short  " + std::string(200, 'x'));
  });
  CHECK(seen.text == "\r\033[K[###############---------------]  50 %  0:02 left  short\r\033[K");
}

TEST_CASE("status line: a dumb terminal gets whole lines") {
  const Seen seen = on_terminal("dumb", [] {
    StatusLine line(false);
    show_half(line, "step 7");
  });
  CHECK(seen.text == "step 7  0:02 left\r\n");
}

TEST_CASE("status line: a signal that ends the program ends the line, too") {
  const Seen seen = on_terminal("xterm", [] {
    std::signal(SIGINT, SIG_DFL);
    StatusLine line(false);
    show_half(line, "step 7");
    ::raise(SIGINT);
  });
  CHECK(WIFSIGNALED(seen.status));
  CHECK(WTERMSIG(seen.status) == SIGINT);
  CHECK(seen.text.ends_with("step 7\r\n"));
}

// Signals that end a run, and a log that has no room.
#include <doctest/doctest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tensor/error.h"
#include "tests/in_child.h"
#include "tests/support.h"
#include "train/interrupt.h"
#include "train/progress.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// What becomes of a signal, without changing it.
void (*handler_of(int signal))(int) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

}  // namespace

TEST_CASE("interrupt: the first signal is noted, a second one of any kind is the system's") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    const InterruptGuard guard;
    CHECK(InterruptGuard::requested() == 0);
    std::raise(signal);
    CHECK(InterruptGuard::requested() == signal);
    for (const int next : {SIGINT, SIGTERM, SIGHUP}) {
      const bool is_default = handler_of(next) == SIG_DFL;
      CHECK(is_default);
    }
    const bool pipe_is_ignored = handler_of(SIGPIPE) == SIG_IGN;
    CHECK(pipe_is_ignored);
    std::signal(SIGPIPE, SIG_DFL);
  }
}

TEST_CASE("interrupt: what the program was started to ignore stays ignored") {
  std::signal(SIGHUP, SIG_IGN);  // as nohup does
  {
    const InterruptGuard guard;
    std::raise(SIGHUP);
    CHECK(InterruptGuard::requested() == 0);
    std::raise(SIGTERM);
    std::raise(SIGHUP);
    CHECK(InterruptGuard::requested() == SIGTERM);
  }
  const bool is_ignored = handler_of(SIGHUP) == SIG_IGN;
  CHECK(is_ignored);
  std::signal(SIGHUP, SIG_DFL);
}

TEST_CASE(
    "interrupt: a relay passes a signal on to the children at work, and to those that come later") {
  const auto waiting = [] {
    char name[] = "sleep", seconds[] = "20";
    char* const words[] = {name, seconds, nullptr};
    pid_t child = 0;
    ::posix_spawnp(&child, name, nullptr, nullptr, words, environ);
    return child;
  };
  const auto signal_that_ended = [](pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WTERMSIG(status);
  };
  InterruptRelay relay;
  const pid_t first = waiting(), second = waiting(), done = waiting(), late = waiting();
  {
    { const InterruptRelay::Child no_longer(relay, done); }
    const InterruptRelay::Child one(relay, first), another(relay, second);
    CHECK(relay.requested() == 0);
    std::raise(SIGTERM);
    CHECK(relay.requested() == SIGTERM);
    CHECK(signal_that_ended(first) == SIGTERM);
    CHECK(signal_that_ended(second) == SIGTERM);
  }
  const InterruptRelay::Child named_late(relay, late);
  CHECK(signal_that_ended(late) == SIGTERM);
  CHECK(::waitpid(done, nullptr, WNOHANG) == 0);  // it was not at work any more
  ::kill(done, SIGKILL);
  signal_that_ended(done);
}

TEST_CASE("progress: a log without room is an error that names it") {
  if (kThreadSanitizer) return;
  const ScratchFolder folder;
  CHECK(in_child([&] {
          std::signal(SIGXFSZ, SIG_IGN);
          Progress progress(folder.path(), 0, 0, true, false);
          const rlimit limit{1000, 1000};
          ::setrlimit(RLIMIT_FSIZE, &limit);
          try {
            for (int i = 0; i < 100; ++i) progress.log(R"({"step":1,"loss":2.5})");
          } catch (const Error& error) {
            return contains(std::string(error.what()), "log.jsonl: expected room") ? 0 : 1;
          }
          return 2;
        }) == 0);
}

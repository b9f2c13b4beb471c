// Signals that end a run, and a log that has no room.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>

#include "tensor/error.h"
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

/// The exit code of an action in a process of its own, or 128 + the signal that ended it.
template <class Action>
int in_child(Action&& action) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(action());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("interrupt: the first signal is noted, a second one of any kind is the system's") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const InterruptGuard guard;
    CHECK(InterruptGuard::requested() == 0);
    std::raise(signal);
    CHECK(InterruptGuard::requested() == signal);
    for (const int next : {SIGINT, SIGTERM, SIGHUP}) {
      const bool is_default = handler_of(next) == SIG_DFL;
      CHECK(is_default);
    }
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

TEST_CASE("progress: a log without room is an error that names it") {
  if (kThreadSanitizer) return;
  const ScratchFolder folder;
  CHECK(in_child([&] {
          std::signal(SIGXFSZ, SIG_IGN);
          Progress progress(folder / "log.jsonl", 0, true);
          const rlimit limit{1000, 1000};
          ::setrlimit(RLIMIT_FSIZE, &limit);
          try {
            for (int i = 0; i < 100; ++i) progress.log(R"({"step":1,"loss":2.5})");
          } catch (const Error& error) {
            return std::string(error.what()).find("log.jsonl: expected room") != std::string::npos
                       ? 0
                       : 1;
          }
          return 2;
        }) == 0);
}

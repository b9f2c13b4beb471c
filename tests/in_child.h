// What a test runs in a process of its own, which may give up rights or room or be killed.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace kette::testing {

/// The exit code that the action returns, 2 if it throws, or 128 + the signal that ended the process.
template <class Action>
int in_child(Action&& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 2;
    try {
      code = action();
    } catch (...) {
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace kette::testing

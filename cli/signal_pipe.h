// Signals as they come, for a thread that waits for them: libraries have threads of their own, which any
// signal may interrupt.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "tensor/error.h"

namespace kette::cli {

/// One in a process. Takes SIGTERM, SIGINT and SIGHUP; a broken pipe is no signal any more.
class SignalPipe {
 public:
  SignalPipe() {
    KETTE_CHECK(::pipe2(ends, O_CLOEXEC) == 0, "serve: expected a pipe, given none");
    struct sigaction action = {};
    action.sa_handler = [](int signal) {
      const auto byte = static_cast<char>(signal);
      [[maybe_unused]] const ssize_t written = ::write(ends[1], &byte, 1);
    };
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaction(signal, &action, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
  }
  /// Waits for the next one.
  int next() const {
    char signal = 0;
    while (::read(ends[0], &signal, 1) != 1) {
    }
    return signal;
  }

 private:
  static inline int ends[2] = {-1, -1};
};

}  // namespace kette::cli

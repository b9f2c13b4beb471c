// Signals as they come, on a thread that waits for them: libraries have threads of their own, which any signal may
// interrupt.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <functional>
#include <initializer_list>
#include <thread>
#include <utility>
#include <vector>

#include "tensor/error.h"

namespace kette::cli {

/// Takes these signals while it lives. Several of them in a process have different signals.
class SignalThread {
 public:
  explicit SignalThread(std::initializer_list<int> signals) {
    KETTE_CHECK(::pipe2(ends_, O_CLOEXEC) == 0, "serve: expected a pipe, given none");
    struct sigaction action = {};
    action.sa_handler = take;
    action.sa_flags = SA_RESTART;
    for (const int signal : signals) {
      into[signal] = ends_[1];
      auto& [number, before] = before_.emplace_back();
      number = signal;
      ::sigaction(signal, &action, &before);
    }
  }
  /// Waits for a call of act() that has begun.
  ~SignalThread() {
    for (const auto& [number, before] : before_) ::sigaction(number, &before, nullptr);
    is_over_ = true;
    take(before_.front().first);
    if (thread_.joinable()) thread_.join();
    for (const int end : ends_) ::close(end);
  }
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;

  /// Calls act() for each signal, also for those that came before.
  void start(std::function<void()> act) {
    thread_ = std::thread([this, act = std::move(act)] {
      char byte = 0;
      while (true) {
        while (::read(ends_[0], &byte, 1) != 1) {
        }
        if (is_over_) return;
        act();
      }
    });
  }

 private:
  static void take(int signal) {
    const int error = errno;  // of what the signal interrupts
    [[maybe_unused]] const ssize_t written = ::write(into[signal], "", 1);
    errno = error;
  }

  static inline std::atomic<int> into[NSIG];  // the pipe of each signal
  int ends_[2] = {-1, -1};
  std::vector<std::pair<int, struct sigaction>> before_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

}  // namespace kette::cli

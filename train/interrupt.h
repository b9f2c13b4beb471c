// Ctrl-C while training, a polite kill, or a lost terminal (SIGINT, SIGTERM, SIGHUP). A signal that the
// program was started to ignore, as nohup does, stays ignored.
#pragma once

#include <sys/types.h>

namespace kette {

/// Whether it is one of these signals.
bool is_interrupt(int signal);

/// The first of these signals lets the state be saved, a second one of any kind ends the program at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that came, or 0.
  static int requested();
};

/// Passes every one of these signals on to child processes instead. There is one at a time.
class InterruptRelay {
 public:
  static constexpr int kMostChildren = 64;

  InterruptRelay();
  ~InterruptRelay();
  InterruptRelay(const InterruptRelay&) = delete;
  InterruptRelay& operator=(const InterruptRelay&) = delete;

  /// Notes a signal as one that came, and passes it on.
  void pass_on(int signal);
  /// The signal that came last, or 0.
  int requested() const;

  /// A child at work. One that is named after a signal came is given that.
  class Child {
   public:
    Child(InterruptRelay& relay, pid_t process);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

   private:
    int place_ = 0;
  };
};

}  // namespace kette

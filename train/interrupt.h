// Handles Ctrl-C, kill and a closed terminal while training (SIGINT, SIGTERM, SIGHUP). A signal that the
// program ignores from its start, as with nohup, stays ignored. Within a host (train/host.h) signals are the host's: no
// handler is set, and its interrupts stand for them.
#pragma once

#include <sys/types.h>

#include <functional>

#include "train/host.h"

namespace kette {

class Communicator;

/// Whether it is one of these signals.
bool is_interrupt(int signal);

/// The first signal lets the run save its state. A second one of any kind ends the program at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that came, or 0.
  static int requested();

 private:
  Host* host_ = Host::current();
};

/// For work of a training that a resume does again, such as a validation. Make it on the thread of the training, and call
/// it now and then, from any thread: it throws Interrupted once there was a signal. It does nothing where there are
/// several processes, which have to end such work together.
std::function<void()> interrupt_check(const Communicator& communicator);

/// Forwards each signal to child processes instead. Only one may exist at a time.
class InterruptRelay {
 public:
  static constexpr int kMostChildren = 64;

  InterruptRelay();
  ~InterruptRelay();
  InterruptRelay(const InterruptRelay&) = delete;
  InterruptRelay& operator=(const InterruptRelay&) = delete;

  /// Records a signal and forwards it.
  void pass_on(int signal);
  /// The signal that came last, or 0.
  int requested() const;
  /// Forwards the interrupt of the host, if there is one. Call it now and then.
  void look_at_host();

  /// Registers a running child. If a signal has come already, the child gets it now.
  class Child {
   public:
    Child(InterruptRelay& relay, pid_t process);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

   private:
    int place_ = 0;
  };

 private:
  const Host* host_ = Host::current();
};

}  // namespace kette

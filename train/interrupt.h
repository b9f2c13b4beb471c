// Ctrl-C while training, a polite kill, or a lost terminal (SIGINT, SIGTERM, SIGHUP): the first one
// lets the state be saved, a second one of any kind ends the program at once. A signal that the
// program was started to ignore, as nohup does, stays ignored.
#pragma once

#include <sys/types.h>

namespace kette {

class InterruptGuard {
 public:
  InterruptGuard();
  /// These signals go to that process instead, every one of them.
  explicit InterruptGuard(pid_t process);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that came, or 0.
  static int requested();
};

}  // namespace kette

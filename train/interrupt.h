// Ctrl-C while training: the first one lets the step finish and the state be saved, the second one
// ends the program as usual.
#pragma once

namespace kette {

class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Whether SIGINT or SIGTERM came.
  static bool requested();
};

}  // namespace kette

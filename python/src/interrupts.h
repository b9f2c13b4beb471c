// Ctrl-C while C++ computes.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "python/src/bindings.h"

namespace kette::python {

/// Asks Python for signals now and then, from the thread that made it. Python tells its main thread alone.
class Interrupts {
 public:
  /// Call it between steps, from any thread without the GIL. Throws if the work is to end.
  void check() {
    using Clock = std::chrono::steady_clock;
    if (is_over_) throw Over();
    if (std::this_thread::get_id() != caller_) return;
    const Clock::time_point now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    const GilAcquire acquire;
    if (PyErr_CheckSignals() == 0) return;
    error_ = std::make_exception_ptr(nb::python_error());
    is_over_ = true;
    throw Over();
  }

  /// Whether there was an interrupt.
  bool is_over() const { return is_over_; }

  /// Calls work() without the GIL. An interrupt is thrown as Python's exception, such as KeyboardInterrupt.
  template <class Work>
  auto run(const Work& work) {
    try {
      const GilRelease release;
      return work();
    } catch (const Over&) {
      std::rethrow_exception(error_);
    }
  }

 private:
  struct Over {};

  std::thread::id caller_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::atomic<bool> is_over_ = false;
  std::exception_ptr error_;
};

}  // namespace kette::python

// Errors of threads. An exception must not leave a region of OpenMP, or the program ends.
#pragma once

#include <atomic>
#include <exception>

namespace kette {

class ParallelError {
 public:
  /// body(), within a region; nothing once a thread has failed. What it throws is kept.
  template <class Body>
  void guard(const Body& body) {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      body();
    } catch (...) {
      if (!failed_.exchange(true)) error_ = std::current_exception();
    }
  }
  /// Behind the region: throws what the first thread to fail threw.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::atomic<bool> failed_ = false;
  std::exception_ptr error_;
};

}  // namespace kette

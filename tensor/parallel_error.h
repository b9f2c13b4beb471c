// Errors of threads. If an exception left an OpenMP region, the program would end.
#pragma once

#include <atomic>
#include <exception>

namespace kette {

class ParallelError {
 public:
  /// Within a region: calls body() and keeps the first exception; does nothing once a thread has
  /// failed.
  template <class Body>
  void guard(const Body& body) {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      body();
    } catch (...) {
      if (!failed_.exchange(true)) error_ = std::current_exception();
    }
  }
  /// After the region: throws the exception that was kept, if any.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::atomic<bool> failed_ = false;
  std::exception_ptr error_;
};

}  // namespace kette

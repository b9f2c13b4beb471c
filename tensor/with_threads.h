// The number of OpenMP's threads for a while.
#pragma once

#include <omp.h>

#include <cstdint>

namespace kette {

/// While one lives, the kernels that this thread calls use so many threads; 0: as many as before. What is set
/// in between is taken back as well.
class WithThreads {
 public:
  explicit WithThreads(std::int64_t threads) : before_(omp_get_max_threads()) {
    if (threads > 0) omp_set_num_threads(static_cast<int>(threads));
  }
  ~WithThreads() { omp_set_num_threads(before_); }
  WithThreads(const WithThreads&) = delete;
  WithThreads& operator=(const WithThreads&) = delete;

 private:
  int before_;
};

}  // namespace kette

#include "tensor/cpu/memory_speed.h"

#include <omp.h>

#include <chrono>

#include "tensor/cpu/vector.h"

namespace kette::cpu {

double seconds_to_read(const Tensor& values) {
  using S = Simd<float>;
  constexpr std::int64_t kSums = 8, kStep = kSums * S::kLanes;
  const float* data = values.data<float>();
  const std::int64_t steps = values.elements() / kStep;
  double total = 0;
  const auto start = std::chrono::steady_clock::now();
#pragma omp parallel reduction(+ : total)
  {
    // Several sums, so that no addition waits for the one before it.
    S::Vector sums[kSums] = {};
    const std::int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
    for (std::int64_t i = steps * thread / threads; i < steps * (thread + 1) / threads; ++i) {
      for (std::int64_t j = 0; j < kSums; ++j) sums[j] += S::load(data + i * kStep + j * S::kLanes);
    }
    for (const S::Vector& sum : sums) total += static_cast<double>(S::sum_lanes(sum));
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  volatile double kept = total;  // so that the loop is not left out
  static_cast<void>(kept);
  return seconds.count();
}

}  // namespace kette::cpu

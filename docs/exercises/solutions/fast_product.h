#pragma once

#include <algorithm>
#include <cstdint>

/// Blocks of 64 rows of B. With four rows of A at a time each row of B that is loaded serves four rows of C. Every element of
/// C is still summed in the order of p.
inline void multiply(const float* a, const float* b, float* c, std::int64_t n) {
  std::fill_n(c, n * n, 0.0f);
  for (std::int64_t from = 0; from < n; from += 64) {
    const std::int64_t to = std::min(n, from + 64);
    std::int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      float *c0 = c + i * n, *c1 = c0 + n, *c2 = c1 + n, *c3 = c2 + n;
      for (std::int64_t p = from; p < to; ++p) {
        const float* row = b + p * n;
        const float a0 = a[i * n + p], a1 = a[(i + 1) * n + p], a2 = a[(i + 2) * n + p],
                    a3 = a[(i + 3) * n + p];
#pragma omp simd
        for (std::int64_t j = 0; j < n; ++j) {
          c0[j] += a0 * row[j];
          c1[j] += a1 * row[j];
          c2[j] += a2 * row[j];
          c3[j] += a3 * row[j];
        }
      }
    }
    for (; i < n; ++i) {
      for (std::int64_t p = from; p < to; ++p) {
        for (std::int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + p] * b[p * n + j];
      }
    }
  }
}

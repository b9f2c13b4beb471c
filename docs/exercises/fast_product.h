// A matrix product at least three times as fast as the plain one, on one thread. The plain one reads a column of B for each
// element of C: a new line of the cache for each number. Let the innermost loop go along rows of B and C instead, so that
// the compiler can take several columns at once, and keep to a block of B that fits the cache.
#pragma once

#include <cstdint>

/// C = A B, all [n, n], row-major.
inline void multiply(const float* a, const float* b, float* c, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::int64_t p = 0; p < n; ++p) sum += a[i * n + p] * b[p * n + j];  // your turn
      c[i * n + j] = sum;
    }
  }
}

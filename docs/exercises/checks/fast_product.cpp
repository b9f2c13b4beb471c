// Right, and quick: the best of some runs against the best of the plain loop, in turn.
#include "fast_product.h"

#include <chrono>
#include <random>
#include <vector>

#include "check.h"

namespace {

[[gnu::noinline]] void plainly(const float* a, const float* b, float* c, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::int64_t p = 0; p < n; ++p) sum += a[i * n + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
  }
}

template <class Function>
double seconds_of(const Function& function) {
  const auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main() {
  Check check("fast_product");
  std::mt19937 random(1);
  double plain = 1e9, yours = 1e9;
  for (const std::int64_t n : {1, 5, 70, 512}) {
    std::vector<float> a(n * n), b(n * n), expected(n * n), came(n * n, -1);
    for (float& value : a) value = std::uniform_real_distribution<float>(-1, 1)(random);
    for (float& value : b) value = std::uniform_real_distribution<float>(-1, 1)(random);
    for (int turn = 0; turn < (n == 512 ? 3 : 1); ++turn) {
      const double took = seconds_of([&] { plainly(a.data(), b.data(), expected.data(), n); });
      const double your_time = seconds_of([&] { multiply(a.data(), b.data(), came.data(), n); });
      if (n < 512) continue;
      plain = std::min(plain, took);
      yours = std::min(yours, your_time);
    }
    for (std::int64_t i = 0; i < n * n; ++i) {
      check.near("n = " + std::to_string(n) + ", element " + std::to_string(i), expected[i],
                 came[i], 1e-4);
    }
  }
  std::cout << "512 x 512: plain " << plain * 1e3 << " ms, yours " << yours * 1e3 << " ms, "
            << plain / yours << " times as fast\n";
  check.that(plain / yours >= 3, "times as fast as the plain loop", "3 or more", plain / yours);
  return check.end();
}

#pragma once

#include <algorithm>
#include <functional>
#include <vector>

struct Threads {
  std::size_t count;
  std::function<void(std::size_t, const std::function<void(std::size_t)>&)> run;
};

/// Blocks of a fixed size, however many threads share them; then their sums, in order.
inline float sum_of(const std::vector<float>& x, const Threads& threads) {
  constexpr std::size_t kBlock = 256;
  std::vector<float> sums((x.size() + kBlock - 1) / kBlock, 0);
  threads.run(sums.size(), [&](std::size_t block) {
    const std::size_t end = std::min(x.size(), (block + 1) * kBlock);
    for (std::size_t i = block * kBlock; i < end; ++i) sums[block] += x[i];
  });
  float total = 0;
  for (const float sum : sums) total += sum;
  return total;
}

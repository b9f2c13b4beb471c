// A sum on many threads that has the same bits on any number of them (docs/guide.md, chapter 2). Addition rounds, so its
// order shows; the order must follow from the numbers alone, and not from the threads.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

/// Threads that share work: run(n, work) calls work(0), ..., work(n - 1), some at the same time, in any order.
struct Threads {
  std::size_t count;
  std::function<void(std::size_t, const std::function<void(std::size_t)>&)> run;
};

/// One part a thread, so another number of threads adds in another order: your turn.
inline float sum_of(const std::vector<float>& x, const Threads& threads) {
  std::vector<float> sums(threads.count, 0);
  threads.run(threads.count, [&](std::size_t part) {
    const std::size_t begin = part * x.size() / threads.count,
                      end = (part + 1) * x.size() / threads.count;
    for (std::size_t i = begin; i < end; ++i) sums[part] += x[i];
  });
  float total = 0;
  for (const float sum : sums) total += sum;
  return total;
}

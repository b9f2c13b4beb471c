// The sum on 1 to 9 threads. Their parts are shuffled, as threads come to them in any order.
#include "same_bits.h"

#include <iomanip>
#include <numeric>
#include <random>
#include <sstream>
#include <thread>

#include "check.h"

namespace {

std::string bits(float value) {
  std::ostringstream text;
  text << std::hexfloat << value;
  return text.str();
}

}  // namespace

int main() {
  Check check("same_bits");
  std::mt19937 random(1);
  std::vector<float> x(10'007);
  for (float& value : x) value = std::uniform_real_distribution<float>(-1, 2)(random);
  const double exact = std::accumulate(x.begin(), x.end(), 0.0);

  float first = 0;
  for (std::size_t count = 1; count < 10; ++count) {
    std::size_t parts = 0;
    const Threads threads{count, [&](std::size_t n, const std::function<void(std::size_t)>& work) {
                            parts += n;
                            std::vector<std::size_t> order(n);
                            std::iota(order.begin(), order.end(), 0);
                            std::shuffle(order.begin(), order.end(), random);
                            std::vector<std::thread> all;
                            for (std::size_t t = 0; t < count; ++t) {
                              all.emplace_back([&, t] {
                                for (std::size_t i = t; i < n; i += count) work(order[i]);
                              });
                            }
                            for (std::thread& one : all) one.join();
                          }};
    const float came = sum_of(x, threads);
    const std::string on = "on " + std::to_string(count) + " threads, ";
    if (count == 1) first = came;
    check.near(on + "the sum", exact, came, 1e-5);
    check.that(bits(came) == bits(first), on + "the bits of the sum", bits(first) + " as on one",
               bits(came));
    check.that(parts >= count, on + "parts to share", count, parts);
  }
  return check.end();
}

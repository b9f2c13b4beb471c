#include "cli/bench/bench_ids.h"

#include <algorithm>

namespace kette::cli {

BenchIds::BenchIds(const std::string& kind, std::int64_t first, std::int64_t rows) : first_(first) {
  KETTE_CHECK(first < rows, "bench: expected a vocabulary of more than ", first, " rows, given ",
              rows);
  double sum = 0;
  for (std::int64_t rank = 1; rank <= rows - first; ++rank) {
    sum += kind == "zipf" ? 1 / static_cast<double>(rank) : 1;
    up_to_.push_back(sum);
  }
}

std::int32_t BenchIds::draw(Random& random) const {
  const double point = random.uniform() * up_to_.back();
  const auto found = std::upper_bound(up_to_.begin(), up_to_.end() - 1, point);
  return static_cast<std::int32_t>(first_ + (found - up_to_.begin()));
}

void add_ids_option(OptionGroup& group, std::string& kind) {
  group.choice("--ids", kind, {"zipf", "uniform"},
               "Random tokens: a few often and most rarely, as in text, or all alike");
}

}  // namespace kette::cli

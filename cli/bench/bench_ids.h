// Random token ids for benchmarks without text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options.h"
#include "tensor/random.h"

namespace kette::cli {

/// Draws ids from [first, rows): uniformly, or by Zipf's law as in text, the n-th id 1/n as often as the
/// first. The gradient of an embedding sums over equal ids, so frequent ids take its time.
class BenchIds {
 public:
  BenchIds(const std::string& kind, std::int64_t first, std::int64_t rows);
  std::int32_t draw(Random& random) const;

 private:
  std::int64_t first_;
  std::vector<double> up_to_;  ///< cumulative weights of the ids
};

/// Adds --ids.
void add_ids_option(OptionGroup& group, std::string& kind);

}  // namespace kette::cli

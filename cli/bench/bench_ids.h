// Token ids for benchmarks that read no text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options.h"
#include "tensor/random.h"

namespace kette::cli {

/// Draws the ids from `first` to below `rows`: all alike, or as text does by Zipf's law, the n-th
/// of them 1/n as often as the first. A lookup's gradient, which adds up what belongs to one id,
/// takes its time on frequent ones.
class BenchIds {
 public:
  BenchIds(const std::string& kind, std::int64_t first, std::int64_t rows);
  std::int32_t draw(Random& random) const;

 private:
  std::int64_t first_;
  std::vector<double> up_to_;  ///< the weights of the ids so far, added up
};

/// Adds --ids.
void add_ids_option(OptionGroup& group, std::string& kind);

}  // namespace kette::cli

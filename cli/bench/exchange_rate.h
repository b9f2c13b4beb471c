// How quickly processes exchange gradients and values: what a step of training waits for where nothing hides it.
#pragma once

#include <cstdint>
#include <vector>

#include "train/communicator.h"

namespace kette::cli {

struct ExchangeTimes {
  std::vector<double>
      ours;  ///< seconds: of sums in a fixed order, and all of them in all processes
  std::vector<double> engine;  ///< of the same by the engine's own all-reduce; empty: it has none
};

/// What each of n processes sends, and as much comes to it: all but its own share, of gradients and of values.
inline double bytes_sent(std::int64_t bytes, int processes) {
  return 2.0 * static_cast<double>(bytes) * (processes - 1) / processes;
}

/// Of so many bytes of f32, in turn; the slowest process counts.
ExchangeTimes measure_exchange(Communicator& processes, std::int64_t bytes, std::int64_t runs);

}  // namespace kette::cli

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

/// Of so many bytes of f32, in turn; the slowest process counts.
ExchangeTimes measure_exchange(Communicator& processes, std::int64_t bytes, std::int64_t runs);

}  // namespace kette::cli

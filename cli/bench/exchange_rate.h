// Measures how fast processes exchange gradients and values, without overlap with computation.
#pragma once

#include <cstdint>
#include <vector>

#include "train/communicator.h"

namespace kette::cli {

struct ExchangeTimes {
  std::vector<double> ours;    ///< seconds: sums in a fixed order, then a gather in all processes
  std::vector<double> engine;  ///< seconds of the engine's own all-reduce; empty: it has none
};

/// The bytes that each process sends, and receives: all but its own share, of gradients and of values.
inline double bytes_sent(std::int64_t bytes, int processes) {
  return 2.0 * static_cast<double>(bytes) * (processes - 1) / processes;
}

/// Measures both in turn on `bytes` bytes of f32. The slowest process counts.
ExchangeTimes measure_exchange(Communicator& processes, std::int64_t bytes, std::int64_t runs);

}  // namespace kette::cli

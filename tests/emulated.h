// For tests of what only the emulator of CUDA shows, see tests/cuda_emulator/.
#pragma once

#include <doctest/doctest.h>

#include "tests/cuda_emulator/emulator.h"
#include "tests/support.h"

namespace kette {

/// Says that a test needs the emulator.
inline void skip_emulator() { MESSAGE("skipped: the kernels do not run on the CUDA emulator"); }

inline void skip_accesses() { MESSAGE("skipped: this compiler reports no accesses to memory"); }

inline constexpr std::uint64_t kOrders = 20;
/// For what takes long under a sanitizer, which looks for other things.
inline constexpr std::uint64_t kFewerOrders = testing::kSanitizer ? 3 : kOrders;

/// Calls function(seed) with `count` orders of threads and copies.
template <class Function>
void for_orders(emulator::Emulator& emulator, std::uint64_t count, const Function& function) {
  const std::uint64_t seed_before = emulator.seed();
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    CAPTURE(seed);
    emulator.set_seed(seed);
    function(seed);
  }
  emulator.set_seed(seed_before);
}

/// No thread reaches for device memory more often than that, one access after the other: a thread
/// waits for DRAM as often at worst, however many threads there are.
inline void check_serial_accesses(const emulator::Counts& counts, std::uint64_t most) {
  for (const auto& kernel : counts.kernels) {
    CAPTURE(kernel.first);
    CHECK(kernel.second.serial_accesses <= most);
  }
}

}  // namespace kette

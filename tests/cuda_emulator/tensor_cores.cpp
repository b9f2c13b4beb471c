// The warp's instructions for tensor cores: the same words move between the same lanes.
#include "cuda_runtime.h"

namespace emulator {
namespace {

float bf16_half(std::uint32_t word, unsigned half) {
  return std::bit_cast<float>(half ? word & 0xffff0000u : word << 16);
}

}  // namespace

void mma(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  struct Operands {
    std::uint32_t a[4], b[2];
  };
  const Operands mine{{a[0], a[1], a[2], a[3]}, {b0, b1}};
  meet(mine, [&](const auto& of_lane) {
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = lane() / 4 + i / 2 * 8;
      const unsigned column = lane() % 4 * 2 + i % 2;
      for (unsigned k = 0; k < 16; ++k) {
        const unsigned t = k % 8 / 2;
        const std::uint32_t left = of_lane(row % 8 * 4 + t).a[k / 8 * 2 + row / 8];
        const std::uint32_t right = of_lane(column * 4 + t).b[k / 8];
        c[i] += bf16_half(left, k % 2) * bf16_half(right, k % 2);
      }
    }
  });
}

/// Element (row, column) of matrix m is of_lane(8 m + row)[column].
void load_matrices(std::uint32_t (&words)[4], const std::uint16_t* row, bool transposed) {
  meet(row, [&](const auto& of_lane) {
    const unsigned g = lane() / 4, t = lane() % 4;
    for (unsigned m = 0; m < 4; ++m) {
      const auto at = [&](unsigned k) -> std::uint32_t {
        return transposed ? of_lane(8 * m + k)[g] : of_lane(8 * m + g)[k];
      };
      words[m] = at(2 * t) | at(2 * t + 1) << 16;
    }
  });
}

}  // namespace emulator

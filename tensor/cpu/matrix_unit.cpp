#include "tensor/cpu/matrix_unit.h"

#include <array>

#include "tensor/dtype.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace kette::cpu {
namespace {

#if defined(__x86_64__) && defined(__linux__)

/// Linux reserves space for the tiles in a program's thread state only on request (x86/xstate.rst).
bool ask_for_tiles() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

/// Tests sums of products of small integers, which are exact.
template <class Unit>
std::array<float, kUnitSide * kUnitSide> sample() {
  std::array<std::uint32_t, kUnitSide * kUnitSide> words{};
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    const auto bits = [](std::uint32_t number) { return BFloat16(float(number)).bits; };
    words[i] = bits(i % 7) | std::uint32_t{bits(i % 11)} << 16;
  }
  std::array<float, kUnitSide * kUnitSide> sums{};
  constexpr std::int64_t kRow = 4 * kUnitSide;
  Unit unit;
  unit.template zero<0>();
  unit.template load<4>(words.data(), kRow);
  unit.template load<6>(words.data(), kRow);
  unit.template multiply_bf16<0, 4, 6>();
  unit.template store<0>(sums.data(), kRow);
  return sums;
}

/// Tries the unit before use, since a virtual machine may report one that it does not have.
bool find_matrix_unit() {
  // Leaf 7 (Intel's manual, CPUID); not every compiler has names for them.
  constexpr unsigned kBf16 = 1u << 22, kTiles = 1u << 24, kInt8 = 1u << 25;
  constexpr unsigned kAll = kBf16 | kTiles | kInt8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kAll) == kAll && ask_for_tiles() &&
         sample<MatrixUnit>() == sample<EmulatedMatrixUnit>();
}

#else

bool find_matrix_unit() { return false; }

#endif

}  // namespace

bool has_matrix_unit() {
  static const bool found = find_matrix_unit();
  return found;
}

}  // namespace kette::cpu

// Sums of products of int8, four at a time: what the instruction sets call a dot product. Sums of whole
// numbers are exact, so every path gives the same bits, and which one a CPU takes is a matter of
// speed alone. It is chosen when the program runs: the levels that the kernels are compiled for
// (tensor/machine.h) say nothing of these instructions.
//
// A panel is kInt8Panel rows of W, transposed: for each four columns of W ("quad") the four values of
// every row. They are kept as w + 128, for the instructions of x86-64 want one factor without a sign; a path
// that multiplies them so takes 128 times the sum of the row of x off again.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/enum_names.h"

namespace kette {

enum class Int8Path : std::uint8_t {
  portable,
  avx2,
  avx_vnni,
  avx512_vnni,
  amx,
  neon,
  neon_dotprod
};
template <>
inline constexpr auto kNamesOf<Int8Path> =
    enum_names<Int8Path>({{Int8Path::portable, "portable"},
                          {Int8Path::avx2, "avx2"},
                          {Int8Path::avx_vnni, "avx-vnni"},
                          {Int8Path::avx512_vnni, "avx512-vnni"},
                          {Int8Path::amx, "amx"},
                          {Int8Path::neon, "neon"},
                          {Int8Path::neon_dotprod, "neon-dotprod"}});

namespace cpu {

inline constexpr std::int64_t kInt8Panel = 64;
/// Sums of more products might not fit: 2^17 * 127 * 127 < 2^31.
inline constexpr std::int64_t kInt8Depth = std::int64_t{1} << 17;
inline constexpr std::int64_t kInt8Offset = 128;

/// Those that this CPU has, the quickest last.
std::vector<Int8Path> int8_paths();
/// The quickest, or what the environment variable KETTE_INT8 names; an Error unless the CPU has it.
Int8Path int8_path();

/// Rows of int8 values in quads, the last one filled up with zeros.
struct Int8Rows {
  const std::int8_t* values = nullptr;
  std::int64_t stride = 0;             ///< from row to row, a multiple of 4
  const std::int32_t* sums = nullptr;  ///< of the values of each row
  const float* scales = nullptr;       ///< what a value of each row is a multiple of

  Int8Rows from(std::int64_t row) const {
    return {values + row * stride, stride, sums + row, scales + row};
  }
};

/// sums[i, j] = sum_p x[i, p] w[j, p] for `rows` rows of x and the kInt8Panel rows of a panel.
using MultiplyInt8Panel = void (*)(std::int64_t rows, std::int64_t quads, const Int8Rows& x,
                                   const std::uint8_t* panel, std::int32_t* sums);
/// That of amx runs on any x86-64, emulated, for tests.
MultiplyInt8Panel int8_panel_product(Int8Path path);

}  // namespace cpu
}  // namespace kette

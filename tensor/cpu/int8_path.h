// Sums of int8 products, four at a time: the instruction sets' dot product. Integer sums are exact,
// so every path gives the same bits and differs only in speed. The path is chosen at run time,
// since the levels that kernels are compiled for (tensor/machine.h) do not imply these
// instructions.
//
// A panel is kInt8Panel rows of W, transposed: for each four columns of W (a "quad") the four
// values of every row. They are stored as w + 128, since x86-64's instructions need one unsigned
// factor. A path that multiplies them so then subtracts 128 times the sum of the row of x.
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
/// The sum of this many products fits an int32: 2^17 * 127 * 127 < 2^31.
inline constexpr std::int64_t kInt8Depth = std::int64_t{1} << 17;
inline constexpr std::int64_t kInt8Offset = 128;

/// The paths that this CPU has, the fastest last.
std::vector<Int8Path> int8_paths();
/// The fastest, or the one in the environment variable KETTE_INT8; an Error unless the CPU has it.
Int8Path int8_path();

/// Rows of int8 values in quads, the last one padded with zeros.
struct Int8Rows {
  const std::int8_t* values = nullptr;
  std::int64_t stride = 0;             ///< between rows, a multiple of 4
  const std::int32_t* sums = nullptr;  ///< of the values of each row
  const float* scales = nullptr;       ///< of each row

  Int8Rows from(std::int64_t row) const {
    return {values + row * stride, stride, sums + row, scales + row};
  }
};

/// sums[i, j] = sum_p x[i, p] w[j, p] for `rows` rows of x and the kInt8Panel rows of a panel.
using MultiplyInt8Panel = void (*)(std::int64_t rows, std::int64_t quads, const Int8Rows& x,
                                   const std::uint8_t* panel, std::int32_t* sums);
/// The product of amx runs, emulated, on any x86-64, for tests.
MultiplyInt8Panel int8_panel_product(Int8Path path);

}  // namespace cpu
}  // namespace kette

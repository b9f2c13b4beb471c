#include "tensor/cpu/int8_path.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#include <sys/auxv.h>
#endif

#include "tensor/cpu/matrix_unit.h"

namespace kette::cpu {
namespace {

namespace portable {

/// Adds the products of quads [begin, quads) to one row of sums.
void add_products(std::int64_t begin, std::int64_t quads, const std::int8_t* x,
                  const std::uint8_t* panel, std::int32_t* sums) {
  for (std::int64_t p = 4 * begin; p < 4 * quads; ++p) {
    const std::uint8_t* column = panel + p / 4 * kInt8Panel * 4 + p % 4;
    for (std::int64_t j = 0; j < kInt8Panel; ++j) {
      sums[j] += x[p] * (column[4 * j] - static_cast<std::int32_t>(kInt8Offset));
    }
  }
}

void multiply_panel(std::int64_t rows, std::int64_t quads, const Int8Rows& x,
                    const std::uint8_t* panel, std::int32_t* sums) {
  for (std::int64_t i = 0; i < rows; ++i) {
    std::int32_t* line = sums + i * kInt8Panel;
    std::fill_n(line, kInt8Panel, 0);
    add_products(0, quads, x.values + i * x.stride, panel, line);
  }
}

}  // namespace portable

namespace amx {

/// sums = x panel for at most kUnitSide rows: one square of x times the four squares of the panel.
template <class Unit>
void multiply_rows(int rows, std::int64_t quads, const Int8Rows& x, const std::uint8_t* panel,
                   std::int32_t* sums) {
  constexpr std::int64_t kRow = kInt8Panel * 4, kSquare = 4 * kUnitSide;  // bytes
  static_assert(kInt8Panel == 4 * kUnitSide);
  Unit unit(rows);
  unit.template zero<0>();
  unit.template zero<1>();
  unit.template zero<2>();
  unit.template zero<3>();
  std::int64_t quad = 0;
  for (; quad + kUnitSide <= quads; quad += kUnitSide) {
    const std::uint8_t* part = panel + quad * kRow;
    unit.template load<4>(x.values + 4 * quad, x.stride);
    unit.template load<6>(part, kRow);
    unit.template multiply_int8<0, 4, 6>();
    unit.template load<7>(part + kSquare, kRow);
    unit.template multiply_int8<1, 4, 7>();
    unit.template load<6>(part + 2 * kSquare, kRow);
    unit.template multiply_int8<2, 4, 6>();
    unit.template load<7>(part + 3 * kSquare, kRow);
    unit.template multiply_int8<3, 4, 7>();
  }
  unit.template store<0>(sums, kRow);
  unit.template store<1>(sums + kUnitSide, kRow);
  unit.template store<2>(sums + 2 * kUnitSide, kRow);
  unit.template store<3>(sums + 3 * kUnitSide, kRow);
  for (int i = 0; i < rows; ++i) {
    const std::int8_t* values = x.values + i * x.stride;
    std::int32_t sum = x.sums[i];  // of the values that the unit has read
    for (std::int64_t p = 4 * quad; p < 4 * quads; ++p) sum -= values[p];
    std::int32_t* line = sums + i * kInt8Panel;
    for (std::int64_t j = 0; j < kInt8Panel; ++j) {
      // Unsigned, since before this the sums may exceed an int32.
      line[j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(line[j]) -
                                          static_cast<std::uint32_t>(kInt8Offset * sum));
    }
    portable::add_products(quad, quads, values, panel, line);
  }
}

template <class Unit>
void multiply_panel(std::int64_t rows, std::int64_t quads, const Int8Rows& x,
                    const std::uint8_t* panel, std::int32_t* sums) {
  for (std::int64_t row = 0; row < rows; row += kUnitSide) {
    const auto count = static_cast<int>(std::min<std::int64_t>(kUnitSide, rows - row));
    multiply_rows<Unit>(count, quads, x.from(row), panel, sums + row * kInt8Panel);
  }
}

}  // namespace amx

#define KETTE_INT8_INLINE KETTE_INT8_TARGET [[gnu::always_inline]] inline

#if defined(__x86_64__)

namespace avx2 {

#define KETTE_INT8_TARGET [[gnu::target("avx2")]]
using Vector = __m256i;
inline constexpr int kLanes = 8, kMostRows = 4, kOffset = 0;
constexpr bool fits(int rows, int vectors) { return rows * vectors <= 8; }

KETTE_INT8_INLINE Vector splat(std::int32_t value) { return _mm256_set1_epi32(value); }
KETTE_INT8_INLINE Vector load(const std::uint8_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const Vector*>(from)) ^ _mm256_set1_epi8(-128);
}
KETTE_INT8_INLINE void store(std::int32_t* to, Vector sums) {
  _mm256_storeu_si256(reinterpret_cast<Vector*>(to), sums);
}
/// x w = (x sign(w)) |w|: two products of at most 127 * 127 each fit into the 16 bits that hold
/// their sum, products with an unsigned factor up to 255 would not.
KETTE_INT8_INLINE Vector dot(Vector sum, Vector w, Vector x) {
  const Vector pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w));
  return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
#include "tensor/cpu/int8_tile.inc"
#undef KETTE_INT8_TARGET

}  // namespace avx2

namespace avx_vnni {

#define KETTE_INT8_TARGET [[gnu::target("avx2,avxvnni")]]
using avx2::Vector, avx2::splat, avx2::store;
inline constexpr int kLanes = 8, kMostRows = 3, kOffset = kInt8Offset;
constexpr bool fits(int rows, int vectors) { return rows * vectors <= 12; }

KETTE_INT8_INLINE Vector load(const std::uint8_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const Vector*>(from));
}
KETTE_INT8_INLINE Vector dot(Vector sum, Vector w, Vector x) {
  return _mm256_dpbusd_avx_epi32(sum, w, x);
}
#include "tensor/cpu/int8_tile.inc"
#undef KETTE_INT8_TARGET

}  // namespace avx_vnni

namespace avx512_vnni {

#define KETTE_INT8_TARGET [[gnu::target("avx512f,avx512bw,avx512vnni")]]
using Vector = __m512i;
inline constexpr int kLanes = 16, kMostRows = 6, kOffset = kInt8Offset;
constexpr bool fits(int rows, int vectors) { return rows * vectors <= 24; }

KETTE_INT8_INLINE Vector splat(std::int32_t value) { return _mm512_set1_epi32(value); }
KETTE_INT8_INLINE Vector load(const std::uint8_t* from) { return _mm512_loadu_si512(from); }
KETTE_INT8_INLINE void store(std::int32_t* to, Vector sums) { _mm512_storeu_si512(to, sums); }
KETTE_INT8_INLINE Vector dot(Vector sum, Vector w, Vector x) {
  return _mm512_dpbusd_epi32(sum, w, x);
}
#include "tensor/cpu/int8_tile.inc"
#undef KETTE_INT8_TARGET

}  // namespace avx512_vnni

/// Leaf 7, subleaf 1 (Intel's manual, CPUID); not every compiler has a name for it.
bool has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 &&
         (a >> 4 & 1u) != 0;
}

#elif defined(__aarch64__)

namespace neon {

#define KETTE_INT8_TARGET
using Vector = int32x4_t;
inline constexpr int kLanes = 4, kMostRows = 4, kOffset = 0;
/// Fits 32 registers, with a row of vectors of the panel and some for products.
constexpr bool fits(int rows, int vectors) { return (rows + 1) * vectors <= 20; }

KETTE_INT8_INLINE Vector splat(std::int32_t value) { return vdupq_n_s32(value); }
KETTE_INT8_INLINE Vector load(const std::uint8_t* from) {
  return vreinterpretq_s32_u8(veorq_u8(vld1q_u8(from), vdupq_n_u8(0x80)));
}
KETTE_INT8_INLINE void store(std::int32_t* to, Vector sums) { vst1q_s32(to, sums); }
/// Two products of at most 127 * 127 each fit into the 16 bits that hold their sum.
KETTE_INT8_INLINE Vector dot(Vector sum, Vector w, Vector x) {
  const int8x16_t a = vreinterpretq_s8_s32(w), b = vreinterpretq_s8_s32(x);
  const int16x8_t low = vmull_s8(vget_low_s8(a), vget_low_s8(b)), high = vmull_high_s8(a, b);
  return vpadalq_s16(sum, vpaddq_s16(low, high));
}
#include "tensor/cpu/int8_tile.inc"
#undef KETTE_INT8_TARGET

}  // namespace neon

namespace neon_dotprod {

#ifdef __clang__
#define KETTE_INT8_TARGET [[gnu::target("dotprod")]]
#else
#define KETTE_INT8_TARGET [[gnu::target("arch=armv8.2-a+dotprod")]]
#endif
using neon::Vector, neon::splat, neon::load, neon::store;
inline constexpr int kLanes = 4, kMostRows = 6, kOffset = 0;
constexpr bool fits(int rows, int vectors) { return (rows + 1) * vectors <= 28; }

/// As assembly, since clang 14 has the intrinsic only if every CPU compiled for has the
/// instruction.
KETTE_INT8_INLINE Vector dot(Vector sum, Vector w, Vector x) {
  asm("sdot %0.4s, %1.16b, %2.16b" : "+w"(sum) : "w"(w), "w"(x));
  return sum;
}
#include "tensor/cpu/int8_tile.inc"
#undef KETTE_INT8_TARGET

}  // namespace neon_dotprod

bool has_dot_product() { return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0; }

#endif

Int8Path choose_path() {
  const std::vector<Int8Path> paths = int8_paths();
  const char* asked = std::getenv("KETTE_INT8");
  if (asked == nullptr || *asked == '\0') return paths.back();
  std::vector<std::string> names;
  for (const Int8Path path : paths) {
    names.push_back(enum_name(path));
    if (names.back() == asked) return path;
  }
  fail("KETTE_INT8: expected what this CPU has, ", joined(names), ", given ", asked,
       "; without the variable the quickest is chosen");
}

}  // namespace

std::vector<Int8Path> int8_paths() {
  std::vector<Int8Path> paths = {Int8Path::portable};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) paths.push_back(Int8Path::avx2);
  if (has_avx_vnni()) paths.push_back(Int8Path::avx_vnni);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vnni")) {
    paths.push_back(Int8Path::avx512_vnni);
  }
  if (has_matrix_unit()) paths.push_back(Int8Path::amx);
#elif defined(__aarch64__)
  paths.push_back(Int8Path::neon);
  if (has_dot_product()) paths.push_back(Int8Path::neon_dotprod);
#endif
  return paths;
}

Int8Path int8_path() {
  static const Int8Path path = choose_path();
  return path;
}

MultiplyInt8Panel int8_panel_product(Int8Path path) {
  switch (path) {
#if defined(__x86_64__)
    case Int8Path::avx2:
      return avx2::multiply_panel;
    case Int8Path::avx_vnni:
      return avx_vnni::multiply_panel;
    case Int8Path::avx512_vnni:
      return avx512_vnni::multiply_panel;
    case Int8Path::amx:
      return has_matrix_unit() ? amx::multiply_panel<MatrixUnit>
                               : amx::multiply_panel<EmulatedMatrixUnit>;
#elif defined(__aarch64__)
    case Int8Path::neon:
      return neon::multiply_panel;
    case Int8Path::neon_dotprod:
      return neon_dotprod::multiply_panel;
#endif
    default:
      return portable::multiply_panel;
  }
}

}  // namespace kette::cpu

// Intel's matrix unit, AMX (Sapphire Rapids and later): eight tile registers, each of 16 rows of 16
// words. One instruction multiplies two tiles and adds to a third,
//   sums[i, j] += sum_p a[i, p] . b[p, j]        i, j, p < 16
// where a word of a and b holds two bf16 or four int8, "." is the sum of their products, and a word
// of sums is one f32 or int32 (Intel, "Architecture Instruction Set Extensions Programming
// Reference", chapter 3). Here sums are tiles 0 to 3, a is 4 and 5, b is 6 and 7.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kette::cpu {

/// Rows of a tile, and words of a row.
inline constexpr int kUnitSide = 16;
/// Whether this CPU has the unit for bf16 and int8 and the system permits its use (requested once).
bool has_matrix_unit();

#if defined(__x86_64__)

/// Configures the calling thread's tiles while the object lives: a and sums have `rows` rows. One
/// object per thread at a time.
class MatrixUnit {
 public:
  explicit MatrixUnit(int rows = kUnitSide) {
    // Intel's palette 1: for each tile the bytes of a row, then the number of rows.
    struct alignas(64) Palette {
      std::uint8_t palette = 1, start_row = 0, reserved[14]{};
      std::uint16_t row_bytes[16]{};
      std::uint8_t rows[16]{};
    } palette;
    for (int tile = 0; tile < 8; ++tile) {
      palette.row_bytes[tile] = 4 * kUnitSide;
      palette.rows[tile] = static_cast<std::uint8_t>(tile < 6 ? rows : kUnitSide);
    }
    asm volatile("ldtilecfg %0" : : "m"(palette));
  }
  ~MatrixUnit() { asm volatile("tilerelease"); }
  MatrixUnit(const MatrixUnit&) = delete;
  MatrixUnit& operator=(const MatrixUnit&) = delete;

  // As assembly: the compiler may not use these instructions, since not every CPU has them. It
  // never uses tiles itself.
  template <int tile>
  void zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(tile));
  }
  /// Rows `stride` bytes apart.
  template <int tile>
  void load(const void* from, std::int64_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(tile) : "memory");
  }
  template <int tile>
  void store(void* to, std::int64_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(tile) : "memory");
  }
  template <int sums, int a, int b>
  void multiply_bf16() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(sums), "i"(a), "i"(b));
  }
  /// a is signed, b unsigned.
  template <int sums, int a, int b>
  void multiply_int8() {
    asm volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(sums), "i"(a), "i"(b));
  }
};

#endif

/// The same in plain C++, for tests on a CPU without the unit.
class EmulatedMatrixUnit {
 public:
  explicit EmulatedMatrixUnit(int rows = kUnitSide) : rows_(rows) {}

  template <int tile>
  void zero() {
    std::memset(words_[tile], 0, sizeof words_[tile]);
  }
  template <int tile>
  void load(const void* from, std::int64_t stride) {
    for (int i = 0; i < rows_of(tile); ++i) {
      std::memcpy(words_[tile][i], static_cast<const char*>(from) + i * stride, kRowBytes);
    }
  }
  template <int tile>
  void store(void* to, std::int64_t stride) const {
    for (int i = 0; i < rows_of(tile); ++i) {
      std::memcpy(static_cast<char*>(to) + i * stride, words_[tile][i], kRowBytes);
    }
  }
  /// The unit sums the products of the lower halves and those of the upper halves separately.
  template <int sums, int a, int b>
  void multiply_bf16() {
    const auto low = [](std::uint32_t word) { return std::bit_cast<float>(word << 16); };
    const auto high = [](std::uint32_t word) { return std::bit_cast<float>(word & 0xffff0000u); };
    for (int i = 0; i < rows_; ++i) {
      for (int j = 0; j < kUnitSide; ++j) {
        float lows = 0, highs = 0;
        for (int p = 0; p < kUnitSide; ++p) {
          lows += low(words_[a][i][p]) * low(words_[b][p][j]);
          highs += high(words_[a][i][p]) * high(words_[b][p][j]);
        }
        std::uint32_t& sum = words_[sums][i][j];
        sum = std::bit_cast<std::uint32_t>(std::bit_cast<float>(sum) + (lows + highs));
      }
    }
  }
  template <int sums, int a, int b>
  void multiply_int8() {
    for (int i = 0; i < rows_; ++i) {
      for (int j = 0; j < kUnitSide; ++j) {
        for (int p = 0; p < kUnitSide; ++p) {
          for (int shift = 0; shift < 32; shift += 8) {
            const auto x = static_cast<std::int8_t>(words_[a][i][p] >> shift & 0xff);
            const auto y = static_cast<std::int32_t>(words_[b][p][j] >> shift & 0xff);
            words_[sums][i][j] += static_cast<std::uint32_t>(x * y);
          }
        }
      }
    }
  }

 private:
  static constexpr std::size_t kRowBytes = 4 * kUnitSide;

  int rows_of(int tile) const { return tile < 6 ? rows_ : kUnitSide; }

  int rows_;
  std::uint32_t words_[8][kUnitSide][kUnitSide];
};

}  // namespace kette::cpu

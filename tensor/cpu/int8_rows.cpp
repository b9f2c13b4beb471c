#include "tensor/cpu/int8_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tensor/cpu/parallel.h"
#include "tensor/cpu/vector.h"
#include "tensor/int8_matrix.h"

namespace kette::cpu {
namespace {

using S = Simd<float>;
using Integers = Simd<std::int32_t>;

constexpr float kMost = 127, kLeast = 1e-30f;
constexpr std::uint32_t kInfinity = 0x7f800000u;
/// Bits dropped of a scale's 24: the other 17 and the 7 of 127 make 24.
constexpr std::uint32_t kDroppedBits = 7;

/// The largest magnitude of a row, as bits, whose integer order is that of magnitudes; values that
/// are not finite are the largest.
std::uint32_t largest_bits(const float* row, std::int64_t width) {
  constexpr std::int32_t kMagnitude = 0x7fffffff;
  Integers::Vector most{};
  std::int64_t p = 0;
  for (; p + S::kLanes <= width; p += S::kLanes) {
    most = Integers::max(most, std::bit_cast<Integers::Vector>(S::load(row + p)) & kMagnitude);
  }
  std::int32_t largest = Integers::max_lanes(most);
  for (; p < width; ++p) {
    largest = std::max(largest, std::bit_cast<std::int32_t>(row[p]) & kMagnitude);
  }
  return static_cast<std::uint32_t>(largest);
}

float scale_of(float largest) {
  const auto bits = std::bit_cast<std::uint32_t>(largest / kMost);
  constexpr std::uint32_t kDropped = (1u << kDroppedBits) - 1;
  return std::bit_cast<float>((bits + kDropped) & ~kDropped);
}

/// To the nearest integer, ties to even.
Integers::Vector nearest(const S::Vector& values) {
#if defined(__AVX512F__)
  // With a mask of all lanes; without it g++ 12 warns about its own header (GCC bug 105593).
  return (Integers::Vector)_mm512_maskz_cvtps_epi32(0xffff, (__m512)values);
#elif defined(__AVX__)
  return (Integers::Vector)_mm256_cvtps_epi32((__m256)values);
#elif defined(__SSE2__)
  return (Integers::Vector)_mm_cvtps_epi32((__m128)values);
#elif defined(__aarch64__)
  return (Integers::Vector)vcvtnq_s32_f32((float32x4_t)values);
#else
  Integers::Vector result{};
  for (int lane = 0; lane < S::kLanes; ++lane) {
    result[lane] = static_cast<std::int32_t>(std::lrint(values[lane]));
  }
  return result;
#endif
}

using Bytes = std::int8_t __attribute__((vector_size(S::kLanes)));

/// Turns the integer sums of products of one row into its entries of y.
void finish_row(const std::int32_t* sums, float scale, const float* scales, const float* bias,
                float* y) {
  for (std::int64_t j = 0; j < kInt8Panel; j += S::kLanes) {
    const auto sum = __builtin_convertvector(Integers::load(sums + j), S::Vector);
    S::store(y + j, sum * (scale * S::load(scales + j)) + S::load(bias + j));
  }
}

}  // namespace

RoundedRow round_row(const float* row, std::int64_t width, std::int8_t* to) {
  const std::uint32_t bits = largest_bits(row, width);
  const float largest = std::bit_cast<float>(bits);
  if (bits >= kInfinity || largest < kLeast) {
    std::fill_n(to, width, std::int8_t{0});
    return {bits >= kInfinity ? std::numeric_limits<float>::quiet_NaN() : 0.0f, 0};
  }
  const float scale = scale_of(largest), factor = 1 / scale;
  Integers::Vector sums{};
  std::int64_t p = 0;
  for (; p + S::kLanes <= width; p += S::kLanes) {
    const Integers::Vector values = nearest(factor * S::load(row + p));
    sums += values;
    const Bytes narrow = __builtin_convertvector(values, Bytes);
    std::memcpy(to + p, &narrow, sizeof narrow);
  }
  std::int32_t sum = Integers::sum_lanes(sums);
  for (; p < width; ++p) {
    const long value = std::lrint(factor * row[p]);
    to[p] = static_cast<std::int8_t>(value);
    sum += static_cast<std::int32_t>(value);
  }
  return {scale, sum};
}

RoundedRows::RoundedRows(const Tensor& x)
    : stride_(round_up(x.width(), 4)),
      values_(x.rows() * stride_),
      sums_(x.rows()),
      scales_(x.rows()),
      all_{values_.data(), stride_, sums_.data(), scales_.data()} {
  const std::int64_t width = x.width();
  const float* rows = x.data<float>();
  parallel_blocks(x.rows(), 16, width / 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      std::int8_t* to = values_.data() + row * stride_;
      const RoundedRow rounded = round_row(rows + row * width, width, to);
      std::fill(to + width, to + stride_, std::int8_t{0});
      scales_.data()[row] = rounded.scale;
      sums_.data()[row] = rounded.sum;
    }
  });
}

void pack_int8(const Tensor& matrix, const PrepackedWeight& weight) {
  const std::int64_t in = weight.in, quads = ceil_div(in, 4);
  KETTE_CHECK(in <= kInt8Depth, "prepack_linear: expected rows of at most ", kInt8Depth,
              " columns for int8, given ", in);
  const Int8Matrix rounded = rounded_to_int8(matrix);
  weight.scales.view(0, {weight.out}).copy_from(rounded.scales);
  const auto* values = rounded.values.data<std::int8_t>();
  auto* panels = reinterpret_cast<std::uint8_t*>(weight.panels.data<std::int8_t>());
  parallel_blocks(weight.out, kInt8Panel, in, [&](std::int64_t begin, std::int64_t end) {
    std::uint8_t* panel = panels + begin * quads * 4;
    std::fill_n(panel, kInt8Panel * quads * 4, static_cast<std::uint8_t>(kInt8Offset));
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t p = 0; p < in; ++p) {
        panel[(p / 4 * kInt8Panel + row - begin) * 4 + p % 4] =
            static_cast<std::uint8_t>(values[row * in + p] + kInt8Offset);
      }
    }
  });
}

void multiply_int8_panel(std::int64_t rows, const Int8Rows& x, const PrepackedWeight& weight,
                         std::int64_t column, std::int64_t columns, float* y,
                         std::int64_t y_stride) {
  constexpr std::int64_t kRowsAtOnce = 24;  // a multiple of the rows of every path's tile
  const std::int64_t quads = ceil_div(weight.in, 4);
  const auto* panel =
      reinterpret_cast<const std::uint8_t*>(weight.panels.data<std::int8_t>()) + column * quads * 4;
  const float *scales = weight.scales.data<float>() + column,
              *bias = weight.bias.data<float>() + column;
  const MultiplyInt8Panel multiply = int8_panel_product(int8_path());
  alignas(64) std::int32_t sums[kRowsAtOnce * kInt8Panel];
  alignas(64) float aside[kInt8Panel];
  for (std::int64_t row = 0; row < rows; row += kRowsAtOnce) {
    const std::int64_t count = std::min(kRowsAtOnce, rows - row);
    multiply(count, quads, x.from(row), panel, sums);
    for (std::int64_t i = 0; i < count; ++i) {
      float* line = y + (row + i) * y_stride;
      const bool fits = columns == kInt8Panel;
      finish_row(sums + i * kInt8Panel, x.scales[row + i], scales, bias, fits ? line : aside);
      if (!fits) std::copy_n(aside, columns, line);
    }
  }
}

}  // namespace kette::cpu

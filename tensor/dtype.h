// Element types. Training computes in f32; f64 exists for the gradient check; bf16 is a storage
// type (arithmetic is done in f32); i32 holds token ids; int8 holds weights for decoding, as
// multiples of a scale stored beside them (tensor/int8_matrix.h).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "tensor/error.h"

#ifdef __CUDACC__
#define KETTE_HOST_DEVICE __host__ __device__
#else
#define KETTE_HOST_DEVICE
#endif

namespace kette {

/// The upper half of an f32: 8 exponent bits, 7 mantissa bits. Converts with round-to-nearest-even.
/// A NaN stays a NaN; its bits depend on the device.
struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  KETTE_HOST_DEVICE BFloat16(float value)  // NOLINT(google-explicit-constructor): a storage type
      : bits(round(value)) {}
  /// Assigns without a temporary BFloat16, which would keep GCC from vectorising an `omp simd` loop
  /// of stores.
  KETTE_HOST_DEVICE BFloat16& operator=(float value) {
    bits = round(value);
    return *this;
  }
  KETTE_HOST_DEVICE operator float() const {  // NOLINT(google-explicit-constructor)
    const std::uint32_t word = static_cast<std::uint32_t>(bits) << 16;
    float value = 0;
    std::memcpy(&value, &word, sizeof value);
    return value;
  }

 private:
  KETTE_HOST_DEVICE static std::uint16_t round(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    std::uint16_t rounded = 0;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(rounded) : "f"(value));  // one instruction instead of nine
    return rounded;
#else
    std::uint32_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    const bool is_nan = (word & 0x7fffffffu) > 0x7f800000u;
    const std::uint32_t rounded = word + 0x7fffu + ((word >> 16) & 1u);
    return static_cast<std::uint16_t>(is_nan ? (word >> 16) | 0x40u : rounded >> 16);
#endif
  }
};

enum class DType : std::uint8_t { f32, f64, bf16, i32, int8 };

template <class T>
inline constexpr DType dtype_of = [] {
  if constexpr (std::is_same_v<T, float>) return DType::f32;
  if constexpr (std::is_same_v<T, double>) return DType::f64;
  if constexpr (std::is_same_v<T, BFloat16>) return DType::bf16;
  if constexpr (std::is_same_v<T, std::int32_t>) return DType::i32;
  if constexpr (std::is_same_v<T, std::int8_t>) return DType::int8;
}();

/// The type of the arithmetic: f32 for bf16, otherwise the type itself.
template <class T>
using Compute = std::conditional_t<std::is_same_v<T, BFloat16>, float, T>;

/// The same as a DType: that of row statistics and tables of constants.
constexpr DType compute_dtype(DType dtype) { return dtype == DType::bf16 ? DType::f32 : dtype; }

constexpr std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 8;
    case DType::bf16:
      return 2;
    case DType::int8:
      return 1;
    default:
      return 4;
  }
}

constexpr const char* name_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "f32";
    case DType::f64:
      return "f64";
    case DType::bf16:
      return "bf16";
    case DType::i32:
      return "i32";
    case DType::int8:
      return "int8";
  }
  return "?";
}

/// Calls function(T{}) with the C++ type of a floating dtype.
template <class Function>
decltype(auto) visit_float(DType dtype, const char* op, Function&& function) {
  switch (dtype) {
    case DType::f32:
      return function(float{});
    case DType::f64:
      return function(double{});
    case DType::bf16:
      return function(BFloat16{});
    case DType::i32:
    case DType::int8:
      break;
  }
  fail(op, ": expected a floating dtype (f32, f64, bf16), given ", name_of(dtype));
}

/// Calls function(X{}, Y{}) with the types of two floating dtypes that are equal, or bf16 and f32:
/// one of the summands, one of the sums.
template <class Function>
decltype(auto) visit_summands(DType x, DType y, const char* op, Function&& function) {
  if (x == DType::bf16 && y == DType::f32) return function(BFloat16{}, float{});
  if (x == DType::f32 && y == DType::bf16) return function(float{}, BFloat16{});
  if (x != y)
    fail(op, ": expected equal dtypes, or bf16 and f32, given ", name_of(x), " and ", name_of(y));
  return visit_float(x, op, [&]<class T>(T) { return function(T{}, T{}); });
}

/// visit_float for any dtype but int8, whose values mean nothing without their scale.
template <class Function>
decltype(auto) visit_any(DType dtype, const char* op, Function&& function) {
  if (dtype == DType::i32) return function(std::int32_t{});
  if (dtype == DType::int8) {
    fail(op, ": expected f32, f64, bf16 or i32, given int8, ",
         "whose values mean nothing without their scale");
  }
  return visit_float(dtype, op, function);
}

}  // namespace kette

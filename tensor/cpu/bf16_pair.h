// Factors of bf16 products on the CPU: a word holds a pair of neighbours along the depth. One
// instruction of AVX512-BF16 (vdpbf16ps) multiplies and adds them,
//   sum += low(a) low(b) + high(a) high(b)
// with half the instructions and half the memory of the same product in f32. It treats values below
// 2^-126 as 0.
#pragma once

#include <bit>

#include "tensor/cpu/vector.h"

namespace kette::cpu {

/// Elements 2 p, in the lower half, and 2 p + 1 of a row of A or of a column of B; 0 past the end.
enum class [[gnu::may_alias]] Bf16Pair : std::
    uint32_t{};  // aliases elements that were written as BFloat16

/// A tile's vector of factors, and how their products are added.
template <class Factor>
struct Factors {
  using Sum = Factor;
  using Vector = typename Simd<Factor>::Vector;

  static void add_products(Vector& sums, const Factor& a, const Vector& b) { sums += a * b; }
};

template <>
struct Factors<Bf16Pair> {
  using Sum = float;
  typedef std::uint32_t Vector __attribute__((vector_size(kVectorBytes)));

  static void add_products(Simd<float>::Vector& sums, const Bf16Pair& a, const Vector& b) {
#if defined(__AVX512F__)
    // As assembly: the compiler may not use it, since not every CPU of this level has it.
    asm("vdpbf16ps %2%{1to16%}, %1, %0" : "+v"(sums) : "v"(b), "m"(a));
#else
    const auto low = [](auto pairs) { return pairs << 16; };
    const auto high = [](auto pairs) { return pairs & 0xffff0000u; };
    using Floats = Simd<float>::Vector;
    const auto bits = static_cast<std::uint32_t>(a);
    sums += std::bit_cast<float>(high(bits)) * std::bit_cast<Floats>(high(b));
    sums += std::bit_cast<float>(low(bits)) * std::bit_cast<Floats>(low(b));
#endif
  }
};

template <class Factor>
using SumOf = typename Factors<Factor>::Sum;

}  // namespace kette::cpu

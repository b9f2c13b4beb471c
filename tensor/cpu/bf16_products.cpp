#include <cstdlib>
#include <string>

#include "tensor/cpu/matrix_unit.h"
#include "tensor/cpu/product.h"
#include "tensor/cpu/vector.h"
#include "tensor/error.h"

namespace kette::cpu {
namespace {

constexpr bool kHasSquares = kVectorBytes == 4 * kUnitSide;

bool multiplies_pairs_quickly() {
#if defined(__AVX512F__)
  return can_multiply(Bf16Products::in_pairs) && __builtin_cpu_is("amd");
#else
  return false;
#endif
}

Bf16Products choose() {
  const bool has_unit = kHasSquares && has_matrix_unit();
  const char* variable = std::getenv("KETTE_BF16");
  const std::string asked = variable == nullptr ? "" : variable;
  if (asked.empty()) {
    if (has_unit) return Bf16Products::in_squares;
    return multiplies_pairs_quickly() ? Bf16Products::in_pairs : Bf16Products::widened;
  }
  KETTE_CHECK(asked == "amx" || asked == "pairs" || asked == "f32",
              "KETTE_BF16: expected amx, pairs or f32, given ", asked,
              "; without the variable the quickest is taken");
  KETTE_CHECK(
      asked != "amx" || has_unit,
      "KETTE_BF16: expected pairs or f32 on a CPU without AMX (or on a system that does not let "
      "programs use it), given amx");
  KETTE_CHECK(asked != "pairs" || can_multiply(Bf16Products::in_pairs),
              "KETTE_BF16: expected f32 on a CPU without AVX512-BF16, given pairs");
  if (asked == "amx") return Bf16Products::in_squares;
  return asked == "pairs" ? Bf16Products::in_pairs : Bf16Products::widened;
}

}  // namespace

bool can_multiply(Bf16Products bf16) {
  if (bf16 == Bf16Products::in_squares) return kHasSquares;
#if defined(__AVX512F__)
  return bf16 == Bf16Products::widened || __builtin_cpu_supports("avx512bf16");
#else
  return true;  // pairs by two instructions for each half
#endif
}

Bf16Products bf16_products() {
  static const Bf16Products chosen = choose();
  return chosen;
}

}  // namespace kette::cpu

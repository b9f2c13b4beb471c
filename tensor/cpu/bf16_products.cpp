#include <cstdlib>
#include <string>

#include "tensor/cpu/product.h"
#include "tensor/error.h"

namespace kette::cpu {
namespace {

bool multiplies_pairs_quickly() {
#if defined(__AVX512F__)
  return can_multiply_bf16_in_pairs() && __builtin_cpu_is("amd");
#else
  return false;
#endif
}

Bf16Products choose() {
  const char* variable = std::getenv("KETTE_BF16");
  const std::string asked = variable == nullptr ? "" : variable;
  KETTE_CHECK(asked.empty() || asked == "pairs" || asked == "f32",
              "KETTE_BF16: expected pairs or f32, given ", asked,
              "; without the variable the quicker is taken");
  KETTE_CHECK(asked != "pairs" || can_multiply_bf16_in_pairs(),
              "KETTE_BF16: expected f32 on a CPU without AVX512-BF16, given pairs");
  const bool in_pairs = asked.empty() ? multiplies_pairs_quickly() : asked == "pairs";
  return in_pairs ? Bf16Products::in_pairs : Bf16Products::widened;
}

}  // namespace

bool can_multiply_bf16_in_pairs() {
#if defined(__AVX512F__)
  return __builtin_cpu_supports("avx512bf16");
#else
  return true;  // by two instructions for each half
#endif
}

Bf16Products bf16_products() {
  static const Bf16Products chosen = choose();
  return chosen;
}

}  // namespace kette::cpu

#include "autograd/ops/elementwise.h"

#include "autograd/ops/elementwise_op.h"

namespace kette {

template <class Function>
Variable elementwise(const Function& function, const Variable& x) {
  return record(ops::Unary<Function>{function}, x);
}
template <class Function>
Variable elementwise(const Function& function, const Variable& a, const Variable& b) {
  return record(ops::Binary<Function>{function}, a, b);
}

namespace {

// Taking their addresses makes the compiler emit them for all functors.
template <class... F>
auto emit_unary(std::tuple<F...>) {
  return std::tuple{static_cast<Variable (*)(const F&, const Variable&)>(&elementwise<F>)...};
}
template <class... F>
auto emit_binary(std::tuple<F...>) {
  return std::tuple{
      static_cast<Variable (*)(const F&, const Variable&, const Variable&)>(&elementwise<F>)...};
}
[[gnu::used]] auto unary_ops = emit_unary(UnaryFunctions{});
[[gnu::used]] auto binary_ops = emit_binary(BinaryFunctions{});

}  // namespace
}  // namespace kette

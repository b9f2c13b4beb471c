#include "autograd/all_ops.h"

namespace kette {
namespace {

template <class Op>
OpInfo info() {
  return {Op::name, Op::formula, Op::samples()};
}

}  // namespace

std::vector<OpInfo> all_ops() {
  std::vector<OpInfo> ops;
  [&]<class... F>(std::tuple<F...>*) {
    (ops.push_back(info<Unary<F>>()), ...);
  }(static_cast<UnaryFunctions*>(nullptr));
  [&]<class... F>(std::tuple<F...>*) {
    (ops.push_back(info<Binary<F>>()), ...);
  }(static_cast<BinaryFunctions*>(nullptr));
  [&]<class... Op>(std::tuple<Op...>*) {
    (ops.push_back(info<Op>()), ...);
  }(static_cast<CompositeOps*>(nullptr));
  return ops;
}

}  // namespace kette

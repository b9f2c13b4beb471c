#include "autograd/all_ops.h"

namespace kette {
namespace {

template <class Op>
OpInfo info() {
  return {std::string(Op::name), Op::formula, Op::samples()};
}

}  // namespace

std::vector<OpInfo> all_ops() {
  std::vector<OpInfo> result;
  [&]<class... F>(std::tuple<F...>*) {
    (result.push_back(info<ops::Unary<F>>()), ...);
  }(static_cast<UnaryFunctions*>(nullptr));
  [&]<class... F>(std::tuple<F...>*) {
    (result.push_back(info<ops::Binary<F>>()), ...);
  }(static_cast<BinaryFunctions*>(nullptr));
  [&]<class... Op>(std::tuple<Op...>*) {
    (result.push_back(info<Op>()), ...);
  }(static_cast<ops::Composite*>(nullptr));
  return result;
}

}  // namespace kette

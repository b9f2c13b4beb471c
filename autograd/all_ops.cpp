#include "autograd/all_ops.h"

namespace kette {
namespace {

template <class... F>
std::vector<OpInfo> unary(std::tuple<F...>*) {
  return op_infos<ops::Unary<F>...>();
}
template <class... F>
std::vector<OpInfo> binary(std::tuple<F...>*) {
  return op_infos<ops::Binary<F>...>();
}
template <class... Op>
std::vector<OpInfo> composite(std::tuple<Op...>*) {
  return op_infos<Op...>();
}

}  // namespace

std::vector<OpInfo> all_ops() {
  std::vector<OpInfo> result = unary(static_cast<UnaryFunctions*>(nullptr));
  for (auto ops : {binary(static_cast<BinaryFunctions*>(nullptr)),
                   composite(static_cast<ops::Composite*>(nullptr))}) {
    result.insert(result.end(), ops.begin(), ops.end());
  }
  return result;
}

}  // namespace kette

#include "autograd/variable.h"

namespace kette {

Variable Variable::with_tangent(Variable tangent) const {
  KETTE_CHECK(!leaf_, "with_tangent: expected a value, given the parameter ", leaf_->name,
              " (set its leaf's tangent)");
  Variable result = *this;
  result.tangent_.reset();
  if (!tangent.value().defined()) return result;
  KETTE_CHECK(tangent.shape() == shape(), "with_tangent: expected a tangent of shape ", shape(),
              ", given ", tangent.shape());
  result.tangent_ = std::make_shared<const Variable>(std::move(tangent));
  return result;
}

}  // namespace kette

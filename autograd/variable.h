// A Variable is a tensor and, when a tape recorded how it came about, its place on that tape. A
// Leaf is a value that outlives tapes, a parameter, with the tensor its gradient is added to.
//
// Either may have a tangent: how it changes along a direction (forward mode; Baydin et al. 2018, section 3.1). Then what
// an op makes of it has one, too: the product of the op's Jacobian with those of its inputs. Tangents are Variables
// themselves, so that a tape sees how they came about, and second derivatives follow.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tensor/tensor.h"

namespace kette {

/// A leaf that training changes. Its gradient tensor is allocated by the owner (ParamStore keeps
/// all of them in one flat buffer) and backward adds to it. It is of the value's dtype, or f32 beside
/// bf16: the many terms of a sum must not be rounded one by one.
struct Leaf {
  std::string name;
  Tensor value;
  Tensor gradient;
  Tensor tangent{};      ///< of the value's shape; undefined: none
  bool frozen = false;   ///< a frozen leaf gets no gradient
  bool cleared = false;  ///< the gradient is known to be zero, and what comes may overwrite it
};

class Variable {
 public:
  Variable() = default;
  /// A constant.
  Variable(Tensor value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  /// A leaf: wherever a tape is alive, its gradient is wanted.
  explicit Variable(std::shared_ptr<Leaf> leaf) : leaf_(std::move(leaf)) {}

  const Tensor& value() const { return leaf_ ? leaf_->value : value_; }
  const Shape& shape() const { return value().shape(); }
  const std::shared_ptr<Leaf>& leaf() const { return leaf_; }
  /// The same value, of the same place, that changes so; an undefined one: not at all.
  Variable with_tangent(Variable tangent) const;
  /// Undefined where there is none.
  Variable tangent() const {
    if (leaf_) return Variable(leaf_->tangent);
    return tangent_ ? *tangent_ : Variable();
  }
  bool has_tangent() const { return leaf_ ? leaf_->tangent.defined() : tangent_ != nullptr; }
  /// Whether both are one and the same: the same memory, at the same place of a tape.
  bool is(const Variable& other) const {
    return value().raw() == other.value().raw() && shape() == other.shape() &&
           leaf_ == other.leaf_ && tape_ == other.tape_ && slot_ == other.slot_;
  }

 private:
  friend class Tape;
  Variable(Tensor value, std::uint64_t tape, std::int64_t slot)
      : value_(std::move(value)), tape_(tape), slot_(slot) {}

  Tensor value_;
  std::shared_ptr<Leaf> leaf_;
  std::uint64_t tape_ = 0;  // serial number of the recording tape, 0 for none
  std::int64_t slot_ = -1;  // where its gradient gathers on that tape
  std::shared_ptr<const Variable> tangent_;
};

inline Variable Variable::with_tangent(Variable tangent) const {
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

/// A named leaf with a gradient of zeros.
inline Variable parameter(Tensor value, std::string name = "parameter") {
  const Tensor gradient =
      Tensor::zeros(value.shape(), compute_dtype(value.dtype()), value.device());
  return Variable(std::make_shared<Leaf>(Leaf{std::move(name), std::move(value), gradient}));
}

}  // namespace kette

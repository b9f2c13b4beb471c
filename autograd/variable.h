// A Variable is a tensor and, if a tape recorded the op that made it, its place on that tape. A
// Leaf is a parameter: it outlives tapes and has the tensor that its gradient is added to.
//
// Both may have a tangent, the derivative along a direction (forward mode; Baydin et al. 2018,
// section 3.1). Then the result of an op has one, too: the op's Jacobian times the tangents of its
// inputs. Tangents are Variables, so that a tape can record them for second derivatives.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tensor/tensor.h"

namespace kette {

/// A parameter. Its owner allocates the gradient tensor (ParamStore keeps all in one flat buffer),
/// and backward adds to it. The gradient has the value's dtype, but f32 for bf16, so that the many
/// terms of a sum are not rounded one by one.
struct Leaf {
  std::string name;
  Tensor value;
  Tensor gradient;
  Tensor tangent{};      ///< has the value's shape; undefined: none
  bool frozen = false;   ///< a frozen leaf gets no gradient
  bool cleared = false;  ///< the gradient is known to be zero and may be overwritten
  bool lent = false;     ///< others have the gradient, and may write to it at any time
};

class Variable {
 public:
  Variable() = default;
  /// A constant.
  Variable(Tensor value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  /// A leaf: every tape tracks it unless it is frozen.
  explicit Variable(std::shared_ptr<Leaf> leaf) : leaf_(std::move(leaf)) {}

  const Tensor& value() const { return leaf_ ? leaf_->value : value_; }
  const Shape& shape() const { return value().shape(); }
  const std::shared_ptr<Leaf>& leaf() const { return leaf_; }
  /// The same value at the same place, with this tangent; undefined: none.
  Variable with_tangent(Variable tangent) const;
  /// Undefined if there is none.
  Variable tangent() const {
    if (leaf_) return Variable(leaf_->tangent);
    return tangent_ ? *tangent_ : Variable();
  }
  bool has_tangent() const { return leaf_ ? leaf_->tangent.defined() : tangent_ != nullptr; }
  /// Whether both are the same value: the same memory, at the same place of a tape.
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
  std::int64_t slot_ = -1;  // its gradient slot on that tape
  std::shared_ptr<const Variable> tangent_;
};

/// A new leaf with a name and a gradient of zeros.
inline Variable parameter(Tensor value, std::string name = "parameter") {
  const Tensor gradient =
      Tensor::zeros(value.shape(), compute_dtype(value.dtype()), value.device());
  return Variable(std::make_shared<Leaf>(Leaf{std::move(name), std::move(value), gradient}));
}

}  // namespace kette

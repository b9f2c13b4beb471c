// Where the gradient of one value gathers. An op's backward writes straight into the slots of its inputs: add()
// hands over a tensor, buffer() lends one to a kernel that can add in place. Broadcasting is undone here and
// nowhere else (Goodfellow et al., Deep Learning, section 6.5: a value used twice sums its gradients).
#pragma once

#include "autograd/variable.h"

namespace kette {

/// Room for a gradient of dy's shape, written by a kernel that may write over dy while it reads it:
/// dy itself where nothing else needs it.
Tensor room_over(const Tensor& dy);

class GradientSlot;

/// A gradient that is not of its value's shape or dtype; the tape adds whose it is.
class WrongGradient : public Error {
 public:
  WrongGradient(const GradientSlot& given_to, const std::string& message)
      : Error(message), slot(&given_to) {}
  const GradientSlot* slot;
};

class GradientSlot {
 public:
  GradientSlot() = default;  ///< a value whose gradient is not wanted
  explicit GradientSlot(const Tensor& value)
      : wanted_(true), shape_(value.shape()), dtype_(value.dtype()), device_(value.device()) {}
  explicit GradientSlot(std::shared_ptr<Leaf> leaf) : GradientSlot(leaf->gradient) {
    gradient_ = leaf->gradient;
    leaf_ = std::move(leaf);
  }

  /// An empty one for the same value.
  GradientSlot another() const;
  bool wanted() const { return wanted_; }
  const Shape& shape() const { return shape_; }
  /// Adds a gradient of this slot's shape, or of a shape it was broadcast to. Of bf16 values the
  /// slot's dtype is f32 where a leaf gathers, bf16 elsewhere; either is taken. Throws WrongGradient.
  void add(Tensor gradient);

  /// Where a kernel writes. With `adds` the tensor is what has gathered so far, to be added to.
  struct Buffer {
    Tensor tensor;
    bool adds = false;
    bool zeros = false;  ///< of sums(): they may be written as well as added to
  };
  /// For a kernel that writes this slot's dtype: nothing is left to do afterwards.
  Buffer buffer();
  // The others are for kernels that write one dtype alone, whether the gradient is wanted or not. A
  // tensor that does not add is handed to add() afterwards.
  /// dy's dtype: room_over(dy) unless it adds.
  Buffer buffer_over(const Tensor& dy);
  /// The dtype that sums over rows gather in, f32 for a `value` of bf16: zeros unless it adds.
  Buffer sums(const Tensor& value);

  /// Whether anything has gathered.
  bool filled() const { return gradient_.defined(); }
  /// Hands the gradient over and empties the slot.
  Tensor take() { return std::move(gradient_); }
  const Tensor& peek() const { return gradient_; }
  const std::shared_ptr<Leaf>& leaf() const { return leaf_; }

 private:
  void check(const Tensor& gradient) const;
  /// Whether what is here is a leaf's gradient that is zero; it will not be for long.
  bool take_cleared();

  bool wanted_ = false;
  Shape shape_;
  DType dtype_ = DType::f32;
  Device device_;
  Tensor gradient_;
  std::shared_ptr<Leaf> leaf_;
};

}  // namespace kette

// Accumulates the gradient of one value (Goodfellow et al., Deep Learning, section 6.5: a value used twice sums its
// gradients). An op's backward writes directly into the slots of its inputs: add() takes a tensor, buffer() lends one
// to a kernel that can add in place. Broadcasting is undone only here.
#pragma once

#include "autograd/variable.h"

namespace kette {

/// Memory for a gradient of dy's shape, for a kernel that may overwrite dy as it reads it: dy
/// itself if nothing else holds it.
Tensor room_over(const Tensor& dy);

class GradientSlot;

/// A gradient whose shape, dtype or device is not its value's. The tape adds op and input to the text.
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

  /// An empty slot for the same value.
  GradientSlot another() const;
  bool wanted() const { return wanted_; }
  const Shape& shape() const { return shape_; }
  /// Adds a gradient of this slot's shape, or of a shape that it was broadcast to. For bf16 values
  /// the slot's dtype is f32 if it is a leaf's, else bf16; add() takes both. Throws WrongGradient.
  void add(Tensor gradient);

  /// Where a kernel writes. With `adds` the tensor is the sum so far, and the kernel adds to it.
  struct Buffer {
    Tensor tensor;
    bool adds = false;
    bool zeros = false;  ///< from sums(): all zeros, may be overwritten or added to
  };
  /// For a kernel that writes this slot's dtype. No add() afterwards.
  Buffer buffer();
  // The following are for kernels that write one dtype only, even if the gradient is not wanted.
  // Unless `adds`, pass the tensor to add() afterwards.
  /// dy's dtype: room_over(dy) unless it adds.
  Buffer buffer_over(const Tensor& dy);
  /// compute_dtype() of `value`, for sums over rows: zeros unless it adds.
  Buffer sums(const Tensor& value);

  /// Whether a gradient has arrived.
  bool filled() const { return gradient_.defined(); }
  /// Moves the gradient out and empties the slot.
  Tensor take() { return std::move(gradient_); }
  const Tensor& peek() const { return gradient_; }
  const std::shared_ptr<Leaf>& leaf() const { return leaf_; }

 private:
  void check(const Tensor& gradient) const;
  /// Whether this is a leaf's gradient known to be zero; clears that mark.
  bool take_cleared();

  bool wanted_ = false;
  Shape shape_;
  DType dtype_ = DType::f32;
  Device device_;
  Tensor gradient_;
  std::shared_ptr<Leaf> leaf_;
};

}  // namespace kette

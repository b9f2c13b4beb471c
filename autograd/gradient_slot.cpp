#include "autograd/gradient_slot.h"

#include <sstream>
#include <string>
#include <utility>

#include "tensor/kernels.h"

namespace kette {

Tensor room_over(const Tensor& dy) {
  return dy.is_sole_owner() ? dy : Tensor::empty(dy.shape(), dy.dtype(), dy.device());
}

GradientSlot GradientSlot::another() const {
  GradientSlot slot = *this;
  slot.gradient_ = {};
  slot.leaf_.reset();
  return slot;
}

namespace {

Shape without_ones(const Shape& shape) {
  Shape result;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] != 1) result.push_back(shape[axis]);
  }
  return result;
}

/// Axes of extent 1 may come and go: a gradient of [3, 1] is one of [3].
bool can_be_summed_to(const Shape& from, const Shape& to) {
  if (from == to || without_ones(from) == without_ones(to)) return true;
  if (from.rank() < to.rank()) return false;
  for (int axis = 1; axis <= to.rank(); ++axis) {
    if (to[-axis] != from[-axis] && to[-axis] != 1) return false;
  }
  return true;
}

}  // namespace

void GradientSlot::check(const Tensor& gradient) const {
  const auto wrong = [&](const auto& expected) {
    std::ostringstream text;
    text << "expected a gradient " << expected << ", given "
         << (gradient.defined() ? gradient.str() : "an undefined one");
    throw WrongGradient(*this, text.str());
  };
  if (!gradient.defined() || !can_be_summed_to(gradient.shape(), shape_)) {
    wrong("of shape " + shape_.str() + " (or of one that it was broadcast to)");
  }
  // f32 and bf16 are accepted for each other.
  if (compute_dtype(gradient.dtype()) != compute_dtype(dtype_)) {
    wrong(std::string("of ") + name_of(dtype_));
  }
  if (gradient.device() != device_) wrong("on " + device_.str());
}

void GradientSlot::add(Tensor gradient) {
  if (!wanted_) return;
  check(gradient);
  if (!(gradient.shape() == shape_)) {
    if (gradient.elements() == shape_.elements()) {
      gradient = gradient.reshaped(shape_);
    } else {
      const Tensor summed = Tensor::empty(shape_, compute_dtype(gradient.dtype()), device_);
      on(device_, [&](auto exec) { kernels::sum_to(exec, gradient, summed); });
      gradient = summed;
    }
  }
  if (!filled()) {
    gradient_ = gradient.to(dtype_);
    return;
  }
  if (take_cleared()) {
    on(device_, [&](auto exec) { kernels::cast(exec, gradient, gradient_); });
    return;
  }
  // Storage that something else still reads (an upstream gradient passed on twice) must not change.
  if (!leaf_ && !gradient_.is_sole_owner()) gradient_ = gradient_.clone();
  on(device_, [&](auto exec) { kernels::accumulate(exec, gradient, gradient_); });
}

bool GradientSlot::take_cleared() { return leaf_ && std::exchange(leaf_->cleared, false); }

GradientSlot::Buffer GradientSlot::buffer() {
  if (!filled()) {
    gradient_ = Tensor::empty(shape_, dtype_, device_);
    return {gradient_, false};
  }
  if (take_cleared()) return {gradient_, false};
  if (!leaf_ && !gradient_.is_sole_owner()) gradient_ = gradient_.clone();
  return {gradient_, true};
}

GradientSlot::Buffer GradientSlot::buffer_over(const Tensor& dy) {
  if (filled() && dtype_ == dy.dtype() && !take_cleared()) return buffer();
  return {room_over(dy), false};
}

GradientSlot::Buffer GradientSlot::sums(const Tensor& value) {
  const DType dtype = compute_dtype(value.dtype());
  if (!filled() || dtype_ != dtype) {
    return {Tensor::zeros(value.shape(), dtype, value.device()), false, true};
  }
  const bool zeros = take_cleared();
  return {buffer().tensor, true, zeros};
}

}  // namespace kette

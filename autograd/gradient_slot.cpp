#include "autograd/gradient_slot.h"

#include "tensor/kernels.h"

namespace kette {

Tensor room_over(const Tensor& dy) {
  return dy.is_sole_owner() ? dy : Tensor::empty(dy.shape(), dy.dtype(), dy.device());
}

void GradientSlot::add(Tensor gradient) {
  if (!wanted_) return;
  if (!(gradient.shape() == shape_)) {
    if (gradient.elements() == shape_.elements()) {
      gradient = gradient.reshaped(shape_);
    } else {
      const Tensor summed = Tensor::empty(shape_, gradient.dtype(), device_);
      on(device_, [&](auto exec) { kernels::sum_to(exec, gradient, summed); });
      gradient = summed;
    }
  }
  if (!filled()) {
    gradient_ = gradient.to(dtype_);
    return;
  }
  // Storage that something else still reads (an upstream gradient passed on twice) must not change.
  if (!leaf_ && !gradient_.is_sole_owner()) gradient_ = gradient_.clone();
  on(device_, [&](auto exec) { kernels::accumulate(exec, gradient, gradient_); });
}

Tensor GradientSlot::open() {
  auto [tensor, adds] = buffer();
  if (!adds) tensor.zero();
  return tensor;
}

GradientSlot::Buffer GradientSlot::buffer() {
  if (!filled()) {
    gradient_ = Tensor::empty(shape_, dtype_, device_);
    return {gradient_, false};
  }
  if (!leaf_ && !gradient_.is_sole_owner()) gradient_ = gradient_.clone();
  return {gradient_, true};
}

GradientSlot::Buffer GradientSlot::buffer_over(const Tensor& dy) {
  if (filled() && dtype_ == dy.dtype()) return buffer();
  return {room_over(dy), false};
}

GradientSlot::Buffer GradientSlot::sums(const Tensor& like) {
  const DType dtype = compute_dtype(like.dtype());
  if (filled() && dtype_ == dtype) return buffer();
  return {Tensor::zeros(like.shape(), dtype, like.device()), false};
}

}  // namespace kette

#include "tensor/segments.h"

namespace kette {

Tensor Segments::offsets_on(Device device) const {
  const std::lock_guard lock(state_->mutex);
  Tensor& copy = state_->on_device;
  if (!copy.defined() || copy.device() != device) {
    copy = Tensor::from(std::vector<std::int32_t>(offsets().begin(), offsets().end()), device);
  }
  return copy;
}

}  // namespace kette

#include "tensor/segments.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "tensor/tensor.h"

namespace kette {

struct Segments::OnDevice {
  std::mutex mutex;
  Tensor offsets;
};

Segments::Segments(std::vector<std::int64_t> offsets) {
  KETTE_CHECK(
      !offsets.empty() && offsets.front() == 0 && std::is_sorted(offsets.begin(), offsets.end()),
      "Segments: expected offsets that start at 0 and never fall");
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    longest_ = std::max(longest_, offsets[i] - offsets[i - 1]);
  }
  offsets_ = std::make_shared<const std::vector<std::int64_t>>(std::move(offsets));
  on_device_ = std::make_shared<OnDevice>();
}

Segments Segments::from_lengths(const std::vector<std::int64_t>& lengths) {
  std::vector<std::int64_t> offsets{0};
  offsets.reserve(lengths.size() + 1);
  for (const std::int64_t length : lengths) offsets.push_back(offsets.back() + length);
  return Segments(std::move(offsets));
}

Tensor Segments::offsets_on(Device device) const {
  const std::lock_guard lock(on_device_->mutex);
  Tensor& copy = on_device_->offsets;
  if (!copy.defined() || copy.device() != device) {
    copy = Tensor::from(std::vector<std::int32_t>(offsets_->begin(), offsets_->end()), device);
  }
  return copy;
}

}  // namespace kette

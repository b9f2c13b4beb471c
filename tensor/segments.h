// Packed sequences: a batch is [rows, width] with the sequences laid end to end, and Segments says
// where each one starts. There is no padding, so padding can leak nowhere; the padded form of the
// textbooks is the oracle of the tests. Sequence i holds the rows begin(i) <= row < end(i). Cheap
// to copy, never changed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tensor/error.h"
#include "tensor/tensor.h"

namespace kette {

class Segments {
 public:
  Segments() : Segments(std::vector<std::int64_t>{0}) {}

  /// offsets: first 0, never falling; one more entry than there are sequences.
  explicit Segments(std::vector<std::int64_t> offsets) {
    KETTE_CHECK(
        !offsets.empty() && offsets.front() == 0 && std::is_sorted(offsets.begin(), offsets.end()),
        "Segments: expected offsets that start at 0 and never fall");
    for (std::size_t i = 1; i < offsets.size(); ++i) {
      longest_ = std::max(longest_, offsets[i] - offsets[i - 1]);
    }
    state_ = std::make_shared<State>();
    state_->offsets = std::move(offsets);
  }

  static Segments from_lengths(const std::vector<std::int64_t>& lengths) {
    std::vector<std::int64_t> offsets{0};
    offsets.reserve(lengths.size() + 1);
    for (const std::int64_t length : lengths) offsets.push_back(offsets.back() + length);
    return Segments(std::move(offsets));
  }

  std::int64_t count() const { return static_cast<std::int64_t>(state_->offsets.size()) - 1; }
  std::int64_t rows() const { return state_->offsets.back(); }
  std::int64_t begin(std::int64_t i) const { return state_->offsets[i]; }
  std::int64_t end(std::int64_t i) const { return state_->offsets[i + 1]; }
  std::int64_t length(std::int64_t i) const { return end(i) - begin(i); }
  std::int64_t longest() const { return longest_; }
  const std::vector<std::int64_t>& offsets() const { return state_->offsets; }
  /// The offsets as i32 on a device; copied there once, however many layers ask.
  Tensor offsets_on(Device device) const;

 private:
  struct State {
    std::vector<std::int64_t> offsets;
    std::mutex mutex;
    Tensor on_device;
  };
  std::shared_ptr<State> state_;
  std::int64_t longest_ = 0;
};

}  // namespace kette

// Packed sequences: a batch is [rows, width] with the sequences one after the other, and Segments
// says where each starts. There is no padding that could leak; tests compare with the padded form
// of the textbooks. Sequence i has the rows begin(i) <= row < end(i). Immutable and cheap to copy.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace kette {

class Tensor;
struct Device;

class Segments {
 public:
  Segments() : Segments(std::vector<std::int64_t>{0}) {}

  /// offsets: the first is 0, none is less than the one before; one more than there are sequences.
  explicit Segments(std::vector<std::int64_t> offsets);
  static Segments from_lengths(const std::vector<std::int64_t>& lengths);

  std::int64_t count() const { return static_cast<std::int64_t>(offsets_->size()) - 1; }
  std::int64_t rows() const { return offsets_->back(); }
  std::int64_t begin(std::int64_t i) const { return (*offsets_)[i]; }
  std::int64_t end(std::int64_t i) const { return (*offsets_)[i + 1]; }
  std::int64_t length(std::int64_t i) const { return end(i) - begin(i); }
  std::int64_t longest() const { return longest_; }
  const std::vector<std::int64_t>& offsets() const { return *offsets_; }
  /// The offsets as i32 on a device; copied there once, for all layers.
  Tensor offsets_on(Device device) const;

 private:
  struct OnDevice;

  std::shared_ptr<const std::vector<std::int64_t>> offsets_;
  std::shared_ptr<OnDevice> on_device_;
  std::int64_t longest_ = 0;
};

}  // namespace kette

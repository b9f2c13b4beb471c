// A reproducible random sample of the lines of a large text.
#pragma once

#include <cstdint>

#include "tensor/splitmix.h"

namespace kette {

class LineSample {
 public:
  /// available: bytes of the text. wanted: about how many to take; all if there are no more.
  LineSample(std::int64_t available, std::int64_t wanted)
      : share_(static_cast<double>(wanted) / static_cast<double>(available)) {}

  /// Whether the next line is in the sample.
  bool takes_next() { return share_ >= 1 || unit_interval(hash_of(number_++)) < share_; }

 private:
  double share_;
  std::uint64_t number_ = 0;
};

}  // namespace kette

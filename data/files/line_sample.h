// Random lines of a text that is larger than is wanted of it: the same ones whenever the same text
// is asked for.
#pragma once

#include <cstdint>

#include "tensor/splitmix.h"

namespace kette {

class LineSample {
 public:
  /// Bytes of the whole text, and about how many to take; all where there are no more.
  LineSample(std::int64_t available, std::int64_t wanted)
      : share_(static_cast<double>(wanted) / static_cast<double>(available)) {}

  /// Whether the next line is one of them.
  bool takes_next() { return share_ >= 1 || unit_interval(hash_of(number_++)) < share_; }

 private:
  double share_;
  std::uint64_t number_ = 0;
};

}  // namespace kette

// The largest sizes of a model. They are far beyond any trained model, and small enough that
// numbers of parameters, FLOPs and bytes do not overflow. Values of files and command lines are
// checked against them first.
#pragma once

#include <cstdint>

#include "tensor/error.h"

namespace kette {

inline constexpr std::int64_t kMostLayers = 10'000;
inline constexpr std::int64_t kMostWidth = std::int64_t{1} << 17;
inline constexpr std::int64_t kMostHidden = std::int64_t{1} << 20;
inline constexpr std::int64_t kLargestVocabulary = std::int64_t{1} << 24;
/// Position tables have a row for each position and are in no file.
inline constexpr std::int64_t kMostPositions = std::int64_t{1} << 17;

inline void check_size(const char* what, std::int64_t value, std::int64_t most,
                       std::int64_t least = 1) {
  KETTE_CHECK(value >= least, what, ": expected at least ", least, ", given ", value);
  KETTE_CHECK(value <= most, what, ": expected at most ", most, ", given ", value);
}

inline void check_rate(const char* what, double rate) {
  KETTE_CHECK(rate >= 0 && rate < 1, what, ": expected a rate in [0, 1), given ", rate);
}

}  // namespace kette

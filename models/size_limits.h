// The largest sizes of a model. They are far beyond any trained model, and small enough that
// numbers of parameters, FLOPs and bytes do not overflow. Values of files and command lines are
// checked against them first.
#pragma once

#include <cstdint>

#include "tensor/error.h"

namespace kette {

inline constexpr std::int64_t kMaxLayers = 10'000;
inline constexpr std::int64_t kMaxWidth = std::int64_t{1} << 17;
inline constexpr std::int64_t kMaxHidden = std::int64_t{1} << 20;
inline constexpr std::int64_t kMaxVocabulary = std::int64_t{1} << 24;
/// Position tables have a row for each position and are in no file.
inline constexpr std::int64_t kMaxPositions = std::int64_t{1} << 17;

inline void check_size(const char* what, std::int64_t value, std::int64_t maximum,
                       std::int64_t minimum = 1) {
  KETTE_CHECK(value >= minimum, what, ": expected at least ", minimum, ", given ", value);
  KETTE_CHECK(value <= maximum, what, ": expected at most ", maximum, ", given ", value);
}

inline void check_rate(const char* what, double rate) {
  KETTE_CHECK(rate >= 0 && rate < 1, what, ": expected a rate in [0, 1), given ", rate);
}

}  // namespace kette

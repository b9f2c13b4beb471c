// The size of a text.
#pragma once

#include <cstdint>

#include "data/files/text_column.h"

namespace kette {

struct TextSize {
  std::int64_t lines = 0;
  std::int64_t bytes = 0;  ///< unpacked; for a column: with line ends
};

/// Reads a plain or packed file once. The last line needs no line end.
TextSize text_size(const TextColumn& text);

}  // namespace kette

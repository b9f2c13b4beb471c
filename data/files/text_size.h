// How much text there is, before anything is done with it.
#pragma once

#include <cstdint>

#include "data/files/text_column.h"

namespace kette {

struct TextSize {
  std::int64_t lines = 0;
  std::int64_t bytes = 0;  ///< unpacked; of a column, with line ends
};

/// Of a plain or packed file, read once and not kept. A last line needs no line end.
TextSize text_size(const TextColumn& text);

}  // namespace kette

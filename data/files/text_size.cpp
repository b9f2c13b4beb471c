#include "data/files/text_size.h"

#include <algorithm>
#include <string>

#include "data/files/packed_file.h"

namespace kette {

TextSize text_size(const TextColumn& text) {
  PackedFile file(text.file);
  TextSize size;
  std::string chunk(std::size_t{1} << 20, '\0');
  char last = '\n';
  std::int64_t column = 1;
  while (const std::size_t count = file.read(chunk.data(), chunk.size())) {
    size.lines += std::count(chunk.data(), chunk.data() + count, '\n');
    if (text.column == 0) size.bytes += static_cast<std::int64_t>(count);
    for (std::size_t i = 0; text.column > 0 && i < count; ++i) {
      if (chunk[i] == '\t') {
        ++column;
      } else if (chunk[i] == '\n') {
        column = 1;
        ++size.bytes;
      } else if (column == text.column) {
        ++size.bytes;
      }
    }
    last = chunk[count - 1];
  }
  if (last != '\n') ++size.lines;
  return size;
}

}  // namespace kette

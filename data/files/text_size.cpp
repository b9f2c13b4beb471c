#include "data/files/text_size.h"

#include <algorithm>
#include <string>

#include "data/files/packed_file.h"

namespace kette {

TextSize text_size(const std::filesystem::path& path) {
  PackedFile file(path);
  TextSize size;
  std::string chunk(std::size_t{1} << 20, '\0');
  char last = '\n';
  while (const std::size_t count = file.read(chunk.data(), chunk.size())) {
    size.lines += std::count(chunk.data(), chunk.data() + count, '\n');
    size.bytes += static_cast<std::int64_t>(count);
    last = chunk[count - 1];
  }
  if (last != '\n') ++size.lines;
  return size;
}

}  // namespace kette

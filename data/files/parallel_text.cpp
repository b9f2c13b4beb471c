#include "data/files/parallel_text.h"

#include "data/files/packed_file.h"
#include "data/files/text_size.h"
#include "tensor/error.h"

namespace kette {

std::int64_t check_pairing(const ParallelText& text) {
  check_can_be_read_again(text.source.file);
  check_can_be_read_again(text.target.file);
  const std::int64_t sources = text_size(text.source).lines;
  if (text.source.file == text.target.file) return sources;
  const std::int64_t targets = text_size(text.target).lines;
  KETTE_CHECK(sources == targets, text.source.name(), " and ", text.target.name(),
              ": expected equally many lines, given ", sources, " and ", targets,
              " (line n of one must be the translation of line n of the other)");
  return sources;
}

}  // namespace kette

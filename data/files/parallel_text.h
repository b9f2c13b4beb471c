// A text and its translation, line by line, as files or columns of files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "data/files/text_column.h"

namespace kette {

/// Two files, or columns of files, line by line. Or prepared pairs (data/corpora/prepared_pairs.h), with their list as
/// source and target.
struct ParallelText {
  TextColumn source, target;
  /// Of the target: its tag (Tokenizer::tag_of()) precedes every source. Empty: no tag.
  std::string language{};
  std::filesystem::path prepared{};  ///< the folder
  std::size_t number = 0;            ///< index of its text

  bool is_prepared() const { return !prepared.empty(); }
};

/// The number of lines; throws unless both have the same, and can be read again. Fast: nothing is encoded.
std::int64_t check_pairing(const ParallelText& text);

}  // namespace kette

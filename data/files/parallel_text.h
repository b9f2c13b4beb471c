// Two texts of which one translates the other, line by line, as files or columns of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "data/files/text_column.h"

namespace kette {

/// Two files, line by line, or two columns of one, on their own or mixed with others. Or pairs that were prepared
/// (data/corpora/prepared_pairs.h), whose list is source and target.
struct ParallelText {
  TextColumn source, target;
  /// Of the target: its tag (Tokenizer::tag_of()) comes before every source. Empty: none does.
  std::string language{};
  std::filesystem::path prepared{};  ///< the folder
  std::size_t number = 0;            ///< of its texts

  bool is_prepared() const { return !prepared.empty(); }
};

/// Throws unless both have equally many lines; how many. Quick: nothing is encoded.
std::int64_t check_pairing(const ParallelText& text);

}  // namespace kette

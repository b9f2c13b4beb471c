// A text as a file has it: its lines, or of a table with tabs between the columns (TSV) one of them, raw: no quotes, no
// escapes, as OPUS and ParaCrawl ship theirs.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <string>

namespace kette {

struct TextColumn {
  std::filesystem::path file;
  std::int64_t column = 0;  ///< from 1 on; 0: whole lines

  TextColumn() = default;
  template <class Path>
  requires std::convertible_to<const Path&, std::filesystem::path> TextColumn(
      const Path& of_file,  // NOLINT(google-explicit-constructor): a file is a text
      std::int64_t one = 0)
      : file(of_file), column(one) {}

  bool empty() const { return file.empty(); }
  /// "train.en", or "column 2 of train.tsv"; what errors begin with.
  std::string name() const {
    return (column > 0 ? "column " + std::to_string(column) + " of " : "") + file.string();
  }
  friend bool operator==(const TextColumn&, const TextColumn&) = default;
};

}  // namespace kette

// A text in a file: its lines, or one column of a tab-separated table (TSV). Columns are raw,
// without quotes and escapes, as in OPUS and ParaCrawl.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <string>

namespace kette {

struct TextColumn {
  std::filesystem::path file;
  std::int64_t column = 0;  ///< from 1; 0: whole lines

  TextColumn() = default;
  template <class Path>
  requires std::convertible_to<const Path&, std::filesystem::path> TextColumn(
      const Path& of_file,  // NOLINT(google-explicit-constructor): a file is a text
      std::int64_t one = 0)
      : file(of_file), column(one) {}

  bool empty() const { return file.empty(); }
  /// "train.en", or "column 2 of train.tsv"; errors begin with it.
  std::string name() const {
    return (column > 0 ? "column " + std::to_string(column) + " of " : "") + file.string();
  }
  friend bool operator==(const TextColumn&, const TextColumn&) = default;
};

}  // namespace kette

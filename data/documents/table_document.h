// Tables: each chosen cell is a block; all other bytes are unchanged. In TSV a row is a line, and
// cells are separated by tabs (IANA text/tab-separated-values): quotes are text. In CSV (RFC 4180)
// cells are separated by commas, semicolons or tabs, by which the first row has most of; a cell in
// quotes may have those, line ends and doubled quotes, and its paragraphs are blocks. A cell gets
// quotes if its translation needs them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "data/documents/document.h"

namespace kette {

struct TableOptions {
  std::vector<std::size_t>
      columns{};        ///< from 1; none: all. Cells without a letter are never blocks
  bool header = false;  ///< the first row names the columns and is unchanged

  bool chooses(std::size_t column) const;
  /// That a row must have for the choice; an Error if a chosen one is 0. name: for that.
  std::size_t least_columns(const std::string& name) const;
};

/// name: for errors: bytes that are not text, or a row with fewer columns than the first row has or
/// the choice needs. Blank lines are ignored.
std::unique_ptr<Document> read_tsv(std::string bytes, const std::string& name,
                                   const TableOptions& options = {});
/// Also an Error: a quoted cell that does not end.
std::unique_ptr<Document> read_csv(std::string bytes, const std::string& name,
                                   const TableOptions& options = {});

}  // namespace kette

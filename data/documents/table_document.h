// Tables of tab-separated values: each chosen cell is a block; all other bytes are unchanged. A row
// is a line, and cells are separated by tabs (IANA text/tab-separated-values): quotes are text.
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
};

/// name: for errors: bytes that are not text, or a row with fewer columns than the first row has or
/// the choice needs. Blank lines are ignored.
std::unique_ptr<Document> read_tsv(std::string bytes, const std::string& name,
                                   const TableOptions& options = {});

}  // namespace kette

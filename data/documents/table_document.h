// Tables of tab-separated values: each chosen cell is a block, all other bytes stay. A row is a line, and a cell what is
// between tabs (IANA text/tab-separated-values): quotation marks are text.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "data/documents/document.h"

namespace kette {

struct TableOptions {
  std::vector<std::size_t>
      columns{};        ///< from 1; none: all. Cells without a letter are no blocks in any case
  bool header = false;  ///< the first row names the columns and is left as it is
};

/// The name stands in errors: bytes that are no text, and a row with fewer columns than the first row or the choice
/// needs. Blank lines are no rows.
std::unique_ptr<Document> read_tsv(std::string bytes, const std::string& name,
                                   const TableOptions& options = {});

}  // namespace kette

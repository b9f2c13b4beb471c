#include "data/documents/table_document.h"

#include <algorithm>
#include <utility>

#include "data/documents/document_bytes.h"
#include "data/documents/plain_text.h"
#include "tensor/error.h"

namespace kette {
namespace {

class TableDocument : public DocumentOfBytes {
 public:
  TableDocument(std::string all, const std::string& name, const TableOptions& options)
      : DocumentOfBytes(std::move(all)), options_(options) {
    check_document_bytes(bytes(), name);
    std::size_t least = options.least_columns(name);
    bool first = true;
    for (std::size_t at = first_line_begin(bytes()); at < bytes().size();) {
      const SourceLine line = line_at(bytes(), at);
      at = line.next;
      if (line.begin == line.end) continue;
      const auto columns =
          static_cast<std::size_t>(1 + std::count(bytes().begin() + offset(line.begin),
                                                  bytes().begin() + offset(line.end), '\t'));
      if (first && options.columns.empty()) least = columns;
      KETTE_CHECK(columns >= least, document_place(bytes(), line.begin, name), ": expected ", least,
                  " columns or more, given ", columns, " (cells are parted by tabs)");
      if (!first || !options.header) add_row(line);
      first = false;
    }
  }

 private:
  static std::ptrdiff_t offset(std::size_t at) { return static_cast<std::ptrdiff_t>(at); }

  void add_row(const SourceLine& line) {
    const std::string_view row = std::string_view(bytes()).substr(0, line.end);
    std::size_t begin = line.begin;
    for (std::size_t column = 1; begin <= line.end; ++column) {
      const std::size_t end = std::min(row.find('\t', begin), line.end);
      if (options_.chooses(column)) {
        InlineText cell(bytes(), as_it_is);
        add_plain_text(cell, bytes(), {begin, end});
        std::optional<InlineText::Found> found = cell.take();
        if (found && found->has_letter) add(std::move(found->block), found->begin, found->end);
      }
      begin = end + 1;
    }
  }

  /// A character that would separate cells or rows becomes a space.
  std::string escaped(std::string_view character, bool) const override {
    const bool parts = character == "\t" || character == "\n" || character == "\r";
    return parts ? " " : std::string(character);
  }

  TableOptions options_;
};

}  // namespace

bool TableOptions::chooses(std::size_t column) const {
  return columns.empty() || std::find(columns.begin(), columns.end(), column) != columns.end();
}

std::size_t TableOptions::least_columns(const std::string& name) const {
  std::size_t least = 0;
  for (const std::size_t column : columns) {
    KETTE_CHECK(column > 0, name, ": expected columns from 1 on, given 0");
    least = std::max(least, column);
  }
  return least;
}

std::unique_ptr<Document> read_tsv(std::string bytes, const std::string& name,
                                   const TableOptions& options) {
  return std::make_unique<TableDocument>(std::move(bytes), name, options);
}

}  // namespace kette

// Comma-separated values (data/documents/table_document.h).
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "data/documents/document_bytes.h"
#include "data/documents/plain_text.h"
#include "data/documents/table_document.h"
#include "tensor/error.h"

namespace kette {
namespace {

class CsvDocument : public DocumentOfBytes {
 public:
  CsvDocument(std::string all, const std::string& name, const TableOptions& options)
      : DocumentOfBytes(std::move(all)), name_(name) {
    check_document_bytes(bytes(), name);
    find_separator();
    std::size_t least = options.least_columns(name);
    bool first = true;
    for (std::size_t at = first_line_begin(bytes()); at < bytes().size();) {
      if (const SourceLine line = line_at(bytes(), at); line.begin == line.end) {
        at = line.next;
        continue;
      }
      const std::size_t begin = at;
      const std::vector<Cell> row = read_row(at);
      if (first && options.columns.empty()) least = row.size();
      KETTE_CHECK(row.size() >= least, document_place(bytes(), begin, name), ": expected ", least,
                  " columns or more, given ", row.size(), " (cells are parted by ",
                  separator_name(), ")");
      for (std::size_t i = 0; i < row.size() && !(first && options.header); ++i) {
        if (options.chooses(i + 1)) add_cell(row[i]);
      }
      first = false;
    }
  }

 private:
  /// Of a quoted cell what is between its quotes.
  struct Cell : SourceRange {
    bool is_quoted = false;
  };
  /// For each block: white space of a cell without quotes that is replaced with the text.
  struct Around {
    bool is_quoted;
    std::string before, after;
  };

  std::string separator_name() const {
    return separator_ == ',' ? "commas" : separator_ == ';' ? "semicolons" : "tabs";
  }

  /// The one that the first row has most of, outside of quotes.
  void find_separator() {
    constexpr std::string_view kAll = ",;\t";
    std::array<std::int64_t, 3> counts{};
    bool in_quotes = false;
    for (std::size_t at = first_line_begin(bytes()); at < bytes().size(); ++at) {
      const char byte = bytes()[at];
      if (!in_quotes && (byte == '\n' || byte == '\r')) break;
      if (byte == '"') in_quotes = !in_quotes;
      const std::size_t kind = kAll.find(byte);
      if (kind != kAll.npos && !in_quotes) ++counts[kind];
    }
    separator_ = kAll[static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) -
                                               counts.begin())];
  }

  /// Reads the row at `at`, and moves that behind it.
  std::vector<Cell> read_row(std::size_t& at) const {
    const std::string ends = {separator_, '\r', '\n'};
    std::vector<Cell> row;
    for (;;) {
      Cell cell{{at, at}};
      if (at < bytes().size() && bytes()[at] == '"') {
        cell = {{at + 1, end_of_quoted(at)}, true};
        at = cell.end + 1;
        KETTE_CHECK(at == bytes().size() || ends.find(bytes()[at]) != ends.npos,
                    document_place(bytes(), at, name_), ": expected a quoted cell to end, given \"",
                    line_at(bytes(), at).of(bytes()).substr(0, 20),
                    "\" behind its quote (a quote in a cell is doubled)");
      } else {
        cell.end = at = std::min(bytes().find_first_of(ends, at), bytes().size());
      }
      row.push_back(cell);
      if (at == bytes().size() || bytes()[at] != separator_) break;
      ++at;
    }
    at = line_at(bytes(), at).next;
    return row;
  }

  /// The closing quote of the cell whose opening quote is at `begin`.
  std::size_t end_of_quoted(std::size_t begin) const {
    std::size_t at = begin + 1;
    while ((at = bytes().find('"', at)) != std::string::npos && bytes()[at + 1] == '"') at += 2;
    KETTE_CHECK(at != std::string::npos, document_place(bytes(), begin, name_),
                ": expected a quote at the end of the cell that begins with one, given none");
    return at;
  }

  void add_cell(const Cell& cell) {
    InlineText block(bytes(), cell.is_quoted ? with_doubled_quotes : as_it_is);
    const auto add_block = [&] {
      std::optional<InlineText::Found> found = block.take();
      if (!found || !found->has_letter) return;
      Around around{cell.is_quoted, {}, {}};
      if (!cell.is_quoted) {
        // Quotes, if the translation needs them, go around all of the cell.
        around.before = bytes().substr(cell.begin, found->begin - cell.begin);
        around.after = bytes().substr(found->end, cell.end - found->end);
        found->begin = cell.begin;
        found->end = cell.end;
      }
      around_.push_back(std::move(around));
      add(std::move(found->block), found->begin, found->end);
    };
    std::size_t end = 0;  // of the line before in the block
    for (std::size_t at = cell.begin; at < cell.end;) {
      SourceLine line = line_at(bytes(), at);
      line.end = std::min(line.end, cell.end);
      at = line.next;
      if (is_blank_line(line.of(bytes()))) {
        add_block();
        end = 0;
        continue;
      }
      if (end > 0) block.space(end, line.begin);
      add_line(block, line, cell.is_quoted);
      end = line.end;
    }
    add_block();
  }

  void add_line(InlineText& block, SourceRange line, bool is_quoted) const {
    while (line.begin < line.end) {
      const std::size_t quote =
          is_quoted ? std::min(bytes().find("\"\"", line.begin), line.end) : line.end;
      add_plain_text(block, bytes(), {line.begin, quote});
      line.begin = quote;
      if (quote == line.end) break;
      line.begin += 2;
      block.character("\"", quote, line.begin);
    }
  }

  std::string escaped(std::string_view character, bool) const override {
    return character == "\n" || character == "\r" ? " " : std::string(character);
  }

  std::string written(std::size_t index, const TextBlock& translation) const override {
    const Around& around = around_[index];
    const std::string text =
        around.before + DocumentOfBytes::written(index, translation) + around.after;
    if (around.is_quoted) return with_doubled_quotes(text);
    const bool has_quote = text.find('"') != text.npos;
    const bool needs_quotes =
        text.find(separator_) != text.npos ||
        (has_quote && (text.front() == '"' || bytes_of(index).find('"') == std::string_view::npos));
    return needs_quotes ? '"' + with_doubled_quotes(text) + '"' : text;
  }

  static std::string with_doubled_quotes(std::string_view text) {
    std::string out;
    for (const char byte : text) out.append(byte == '"' ? 2 : 1, byte);
    return out;
  }

  std::string name_;
  char separator_ = ',';
  std::vector<Around> around_;  // each block
};

}  // namespace

std::unique_ptr<Document> read_csv(std::string bytes, const std::string& name,
                                   const TableOptions& options) {
  return std::make_unique<CsvDocument>(std::move(bytes), name, options);
}

}  // namespace kette

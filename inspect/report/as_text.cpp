#include <algorithm>
#include <cmath>

#include "inspect/report/report.h"
#include "inspect/report/text.h"
#include "inspect/report/written.h"

namespace kette {
namespace {

/// In characters, not in bytes.
int width_of(const std::string& text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

/// The cells of a line below each other.
class Lines {
 public:
  explicit Lines(const Table& table) : table_(table), widths_(table.columns.size()) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if ((table.columns[i].where & kText) != 0) shown_.push_back(i);
    }
    if (table.has_titles) {
      std::vector<std::string> titles;
      for (const Column& column : table.columns) titles.push_back(column.title);
      add(titles);
    }
    for (const Table::Row& row : table.rows) {
      if ((row.where & kText) != 0) add(written(row));
    }
  }

  std::string str() const {
    std::string all;
    for (const std::vector<std::string>& cells : lines_) all += line(cells) + "\n";
    return all;
  }

 private:
  /// Without the cells at its end that hold nothing.
  std::vector<std::string> written(const Table::Row& row) const {
    std::vector<std::string> cells;
    std::size_t end = 0;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Cell& cell = row.cells[i];
      cells.push_back(kette::written(cell, table_.columns[i]));
      const bool shows =
          !std::holds_alternative<std::monostate>(cell.value) || !cells.back().empty();
      if (shows && (table_.columns[i].where & kText) != 0) end = i + 1;
    }
    cells.resize(end);
    return cells;
  }
  void add(std::vector<std::string> cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      widths_[i] = std::max(widths_[i], width_of(cells[i]));
    }
    lines_.push_back(std::move(cells));
  }
  std::string line(const std::vector<std::string>& cells) const {
    std::string line;
    for (const std::size_t i : shown_) {
      if (i >= cells.size()) break;
      const int given = table_.columns[i].width, wanted = given == 0 ? widths_[i] : std::abs(given);
      const bool is_first = i == shown_.front(), left = given == 0 ? is_first : given < 0;
      const int gap = is_first ? 0 : given == 0 ? 2 : table_.columns[i].gap;
      line.append(static_cast<std::size_t>(gap), ' ');
      const std::string space(static_cast<std::size_t>(std::max(0, wanted - width_of(cells[i]))),
                              ' ');
      line += left ? cells[i] + space : space + cells[i];
    }
    return line;
  }

  const Table& table_;
  std::vector<int> widths_;
  std::vector<std::size_t> shown_;
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace

std::string as_text(const Table& table) { return Lines(table).str(); }

std::string as_text(const Report& report, std::size_t from) {
  std::string all;
  for (std::size_t i = from; i < report.parts.size(); ++i) {
    const Report::Part& part = report.parts[i];
    if ((part.where & kText) == 0) continue;
    if (const auto* lines = std::get_if<Report::Lines>(&part.what)) all += lines->text;
    if (const auto* table = std::get_if<Table>(&part.what)) all += as_text(*table);
    if (const auto* inner = std::get_if<Report::Inner>(&part.what)) all += as_text(*inner->report);
    if (const auto* list = std::get_if<Report::List>(&part.what)) {
      for (const Report& one : list->reports) all += as_text(one);
    }
  }
  return all;
}

std::string written(const Cell& cell, const Column& column, const char* dash) {
  if (!cell.shown.empty()) return cell.shown + cell.mark;
  const Digits& digits = column.digits;
  struct Write {
    const Digits& digits;
    const char* dash;

    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(bool value) const { return value ? "yes" : "no"; }
    std::string operator()(std::int64_t value) const {
      return digits.letter == ',' ? with_commas(value) : std::to_string(value);
    }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(const Data&) const { return ""; }
    std::string operator()(double value) const {
      if (std::isnan(value)) return dash;
      const bool sign = digits.with_sign;
      switch (digits.letter) {
        case 'e':
          return text(sign ? "%+.*e" : "%.*e", digits.count, value);
        case 'g':
          return text(sign ? "%+.*g" : "%.*g", digits.count, value);
        case '%':
          return text("%.*f%%", digits.count, 100 * value);
        default:
          return text(sign ? "%+.*f" : "%.*f", digits.count, value);
      }
    }
  };
  const std::string text = std::visit(Write{digits, dash}, cell.value);
  return text.empty() ? text : text + cell.mark;
}

}  // namespace kette

#include "cli/columns.h"

#include <algorithm>
#include <iostream>

#include "cli/common.h"

namespace kette::cli {

void Columns::row(const std::vector<std::string>& cells) {
  widths_.resize(std::max(widths_.size(), cells.size()));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    widths_[i] = std::max(widths_[i], cells[i].size());
  }
  rows_.push_back(cells);
}

void Columns::print() const {
  for (const std::vector<std::string>& cells : rows_) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string space(widths_[i] - cells[i].size(), ' ');
      line += i == 0 ? cells[i] + space : "  " + space + cells[i];
    }
    std::cout << for_stdout(line) << "\n";
  }
}

}  // namespace kette::cli

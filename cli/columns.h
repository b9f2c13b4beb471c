// A table for a terminal.
#pragma once

#include <string>
#include <vector>

namespace kette::cli {

/// Under each other, numbers to the right.
class Columns {
 public:
  void row(const std::vector<std::string>& cells);
  void print() const;

 private:
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace kette::cli

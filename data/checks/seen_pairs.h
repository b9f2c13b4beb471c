// Which pairs of several texts occurred before, and where: 24 to 48 bytes per pair.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/checks/line_table.h"

namespace kette {

/// Lines of several texts, numbered consecutively from 1.
class LinePlaces {
 public:
  explicit LinePlaces(const char* unit = "line") : unit_(unit) {}

  void begin(const std::string& file, std::int64_t lines_before) {
    texts_.push_back({file, lines_before});
  }
  /// "train.en:12"
  std::string name_of(std::int64_t line) const {
    auto text = std::upper_bound(
        texts_.begin(), texts_.end(), line - 1,
        [](std::int64_t number, const Text& one) { return number < one.lines_before; });
    --text;
    return text->file + ":" + std::to_string(line - text->lines_before);
  }
  /// "line 12" of the last text, or as name_of().
  std::string name_from_last(std::int64_t line) const {
    const std::int64_t before = texts_.back().lines_before;
    return line > before ? std::string(unit_) + " " + std::to_string(line - before) : name_of(line);
  }

 private:
  struct Text {
    std::string file;
    std::int64_t lines_before;
  };
  const char* unit_;
  std::vector<Text> texts_;
};

class SeenPairs {
 public:
  /// unit: its name in messages.
  explicit SeenPairs(const char* unit = "line") : places_(unit) {}

  /// The next lines are from this file.
  void begin(const std::string& file) { places_.begin(file, lines_); }
  /// Counts a line that is not a pair because a side is empty.
  void skip() { add(0); }
  /// Counts a pair by its hash (0: not a pair). Returns where it occurred before.
  std::optional<std::string> add(std::uint64_t pair) {
    const std::int64_t place = ++lines_, first = pair == 0 ? place : table_.put(pair, place);
    if (first == place) return {};
    return "as " + places_.name_from_last(first);
  }
  std::int64_t lines() const { return lines_; }
  const LinePlaces& places() const { return places_; }

 private:
  LineTable table_;
  LinePlaces places_;
  std::int64_t lines_ = 0;
};

}  // namespace kette

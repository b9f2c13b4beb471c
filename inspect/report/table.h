// A table of typed cells. One list of columns serves text, JSON and page: each column has its key, title and number
// format.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "data/files/json_fwd.h"

namespace kette {

/// The renderings that show something.
using Where = unsigned;
inline constexpr Where kText = 1, kJson = 2, kPage = 4, kEverywhere = kText | kJson | kPage;

/// A number format: printf's letter and the number of digits. 't': text.
struct Digits {
  char letter = 't';
  int count = 0;
  bool with_sign = false;
};
constexpr Digits decimals(int count) { return {'f', count}; }
constexpr Digits signed_decimals(int count) { return {'f', count, true}; }
constexpr Digits significant(int count) { return {'g', count}; }
constexpr Digits scientific(int count) { return {'e', count}; }
/// A share as "12.5%".
constexpr Digits percents(int count) { return {'%', count}; }
constexpr Digits whole() { return {'d'}; }
/// "63,082,496"
constexpr Digits grouped() { return {','}; }

/// Nested JSON.
using Data = std::shared_ptr<const Json>;
Data nested(Json json);
Data nested_list(const std::vector<std::string>& list);
Data nested_list(const std::vector<double>& list);
Data nested_list(const std::vector<std::int64_t>& list);
Data nested_list(const std::vector<std::vector<double>>& list);

/// One value. JSON has the value, or null for NaN. Text and page write it in its column's format, and NaN as a dash.
struct Cell {
  /// std::monostate: no value, and no key in JSON.
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Data> value;
  std::string shown{};  ///< replaces the value in text and page
  std::string mark{};   ///< follows the value: "*"
  double bar = -1;      ///< page: the length of a bar behind the value, 0 to 1; below 0: no bar
  double balance = std::nan("");  ///< page: NaN, or a bar with a sign, -1 to 1, from the middle
  std::string drawn{};            ///< page: HTML that replaces the value

  Cell() = default;
  Cell(std::string content) : value(std::move(content)) {}    // NOLINT(google-explicit-constructor)
  Cell(const char* content) : value(std::string(content)) {}  // NOLINT(google-explicit-constructor)
  Cell(Data json) : value(std::move(json)) {}                 // NOLINT(google-explicit-constructor)
  template <class Element>
  Cell(const std::vector<Element>& list)  // NOLINT(google-explicit-constructor)
      : value(nested_list(list)) {}
  Cell(double number) : value(number) {}  // NOLINT(google-explicit-constructor)
  template <std::integral Number>
  Cell(Number number) {  // NOLINT(google-explicit-constructor)
    if constexpr (std::same_as<Number, bool>) {
      value = number;
    } else {
      value = static_cast<std::int64_t>(number);
    }
  }

  /// A share, 0 to 1, with a bar of its length.
  static Cell share(double value) { return Cell(value).with_bar(value); }

  Cell&& as(std::string text) && { return shown = std::move(text), std::move(*this); }
  Cell&& marked(std::string text) && { return mark = std::move(text), std::move(*this); }
  Cell&& with_bar(double share) && { return bar = share, std::move(*this); }
  Cell&& with_balance(double share) && { return balance = share, std::move(*this); }
  Cell&& draw(std::string html) && { return drawn = std::move(html), std::move(*this); }
};

struct Column {
  std::string key{};    ///< JSON; empty: not there
  std::string title{};  ///< text and page
  Digits digits{};
  /// Text: printf's width; negative: left-aligned. 0: the width of the widest cell, after two spaces; then the first
  /// column is left-aligned and others are right-aligned.
  int width = 0;
  std::string help{};  ///< page: what it means
  Where where = kEverywhere;
  std::string page_title{};  ///< page: replaces `title`
  int gap = 1;               ///< text: the spaces before a column with a width

  bool is_number() const { return digits.letter != 't'; }
};

struct Table {
  struct Row {
    std::vector<Cell> cells;
    std::string id{};  ///< page: of the HTML element, for links and scripts
    Where where = kEverywhere;
    bool is_sum = false;  ///< page: stays at the bottom when rows are sorted
  };
  std::string key{};  ///< JSON: of a list of objects; empty: not there
  std::vector<Column> columns{};
  std::vector<Row> rows{};
  bool has_titles = true;  ///< text
  std::string id{};        ///< page: of the HTML element
  std::string folded{};    ///< page: what it says as long as the reader has not opened it
};

/// A column with the function that makes its cells.
template <class Of>
struct ColumnOf {
  Column column;
  std::function<Cell(const Of&)> cell;
};
template <class Rows>
Table tabulated(
    std::string key, const Rows& rows,
    const std::vector<ColumnOf<std::type_identity_t<typename Rows::value_type>>>& columns) {
  Table table{std::move(key)};
  for (const auto& one : columns) table.columns.push_back(one.column);
  for (const auto& row : rows) {
    table.rows.emplace_back();
    for (const auto& one : columns) table.rows.back().cells.push_back(one.cell(row));
  }
  return table;
}

}  // namespace kette

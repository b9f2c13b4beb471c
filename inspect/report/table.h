// A table of typed cells: one list of columns, each with its key, its title, how its numbers are written and what it
// holds of a row, serves text, JSON and page alike.
#pragma once

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

/// Which renderings show something.
using Where = unsigned;
inline constexpr Where kText = 1, kJson = 2, kPage = 4, kEverywhere = kText | kJson | kPage;

/// How numbers are written: printf's letter, with as many digits. 't': they are none, but text.
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

/// JSON that is nested, ready made.
using Data = std::shared_ptr<const Json>;
Data nested(Json json);
Data nested_list(const std::vector<std::string>& list);
Data nested_list(const std::vector<double>& list);
Data nested_list(const std::vector<std::int64_t>& list);
Data nested_list(const std::vector<std::vector<double>>& list);

/// One value. JSON has the value itself, null if it is NaN; text and page write it with its column's digits, NaN as a dash.
struct Cell {
  /// std::monostate: there is none, and no key in JSON.
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Data> value;
  std::string shown{};  ///< in text and page in its place
  std::string mark{};   ///< behind it: "*"
  double bar = -1;      ///< on a page the length of a bar behind it, 0 to 1; below 0: there is none
  std::string drawn{};  ///< on a page HTML in its place

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
  Cell&& draw(std::string html) && { return drawn = std::move(html), std::move(*this); }
};

struct Column {
  std::string key{};    ///< in JSON; empty: not there
  std::string title{};  ///< in text and page
  Digits digits{};
  /// In text: printf's, below 0 to the left. 0: of the widest cell, two spaces after the column before; the first of a
  /// table to the left, others to the right.
  int width = 0;
  std::string help{};  ///< on a page under the pointer
  Where where = kEverywhere;
  std::string page_title{};  ///< on a page in the place of `title`
  int gap = 1;               ///< in text the spaces before it, where it has a width

  bool is_number() const { return digits.letter != 't'; }
};

struct Table {
  struct Row {
    std::vector<Cell> cells;
    std::string id{};  ///< what a page's links and scripts find it by
    Where where = kEverywhere;
    bool is_sum = false;  ///< on a page below all others, however they are sorted
  };
  std::string key{};  ///< in JSON: a list of objects; empty: not there
  std::vector<Column> columns{};
  std::vector<Row> rows{};
  bool has_titles = true;  ///< in text
  std::string id{};        ///< on a page
};

/// A column, and what it holds of a Row of something.
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

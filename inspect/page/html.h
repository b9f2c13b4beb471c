// Small pieces of HTML. What they are given is text, whatever it holds, and comes out escaped.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace kette {

/// Text as HTML, also within an attribute's double quotes. What is not UTF-8, such as half a character,
/// becomes U+FFFD; control characters become their pictures, U+2400 and on.
std::string escaped(std::string_view text);

/// A paragraph that explains. html: as it is.
std::string note(const std::string& html);

/// printf of one number, but never -0.
std::string fixed(double value, int decimals);
/// The same with a + before what is not below 0.
std::string with_sign(double value, int decimals);
/// "0.25, 1.50"
std::string fixed(const std::vector<double>& values, int decimals);

/// "0.25", or of NaN, a number that makes no sense where it would stand, a dash.
std::string fixed_or_dash(double value, int decimals);

/// A table whose rows scripts let the reader sort.
class HtmlTable {
 public:
  struct Column {
    std::string title;
    bool is_number = false;
    std::string help{};  ///< shown under the pointer
  };
  struct Cell {
    std::string text;
    double share = -1;  ///< of a bar behind the text, 0 to 1; below 0: there is none
    bool is_html = false;

    Cell(std::string content)  // NOLINT(google-explicit-constructor): most cells are text alone
        : text(std::move(content)) {}
    Cell(const char* content)  // NOLINT(google-explicit-constructor)
        : text(content) {}
    Cell(std::string content, double bar) : text(std::move(content)), share(bar) {}
    static Cell html(std::string content) {
      Cell cell(std::move(content));
      cell.is_html = true;
      return cell;
    }
  };

  /// A share, 0 to 1, before a bar of its length; of NaN a dash.
  static Cell share(double value) {
    return {fixed_or_dash(value, 2), std::isnan(value) ? -1 : value};
  }

  explicit HtmlTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// id: what scripts find the row by.
  void row(const std::vector<Cell>& cells, const std::string& id = "");
  /// Below all rows, however they are sorted.
  void footer(const std::vector<Cell>& cells);
  std::string str() const;

 private:
  std::string of_cells(const std::vector<Cell>& cells) const;

  std::vector<Column> columns_;
  std::string rows_, footer_;
};

}  // namespace kette

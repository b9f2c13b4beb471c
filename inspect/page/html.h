// Small pieces of HTML. Arguments are plain text, which is escaped, unless they say html.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace kette {

/// Text as HTML, also for an attribute in double quotes. Bytes that are not UTF-8 become U+FFFD; control
/// characters become their pictures, from U+2400 on.
std::string escaped(std::string_view text);

/// A paragraph of explanation. html: not escaped.
std::string note(const std::string& html);

/// "0.25"; never "-0.00".
std::string fixed(double value, int decimals);
/// The same with a + before numbers of at least 0.
std::string with_sign(double value, int decimals);
/// "0.25, 1.50"
std::string fixed(const std::vector<double>& values, int decimals);

/// "0.25"; a dash for NaN.
std::string fixed_or_dash(double value, int decimals);

/// A label for who hears the page.
std::string caption(const std::string& text);
/// What opens when its summary is clicked. html: not escaped.
std::string folded(const std::string& summary, const std::string& html);

/// A table that the reader can sort. What the columns mean stands below it, folded.
class HtmlTable {
 public:
  struct Column {
    std::string title;
    bool is_number = false;
    std::string help{};  ///< what it means
  };
  struct Cell {
    std::string text;
    double share = -1;  ///< the length of a bar behind the text, 0 to 1; below 0: no bar
    /// NaN, or a bar from the middle to the right, or, of another colour, to the left: -1 to 1.
    double balance = std::nan("");
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

  /// A share, 0 to 1, with a bar of its length; a dash for NaN.
  static Cell share(double value) {
    return {fixed_or_dash(value, 2), std::isnan(value) ? -1 : value};
  }

  /// caption: plain text, for who hears the page.
  HtmlTable(std::vector<Column> columns, std::string caption)
      : columns_(std::move(columns)), caption_(std::move(caption)) {}
  /// id: of the HTML element, for scripts.
  void row(const std::vector<Cell>& cells, const std::string& id = "");
  /// A row that stays at the bottom when rows are sorted.
  void footer(const std::vector<Cell>& cells);
  std::string str() const;

 private:
  std::string of_cells(const std::vector<Cell>& cells) const;

  std::string meanings() const;

  std::vector<Column> columns_;
  std::string caption_, rows_, footer_;
};

}  // namespace kette

#include <cmath>

#include "inspect/page/html.h"
#include "inspect/report/report.h"
#include "inspect/report/written.h"

namespace kette {
namespace {

constexpr const char* kDash = "\xE2\x80\x93";

HtmlTable::Cell html_of(const Cell& cell, const Column& column) {
  HtmlTable::Cell html =
      cell.drawn.empty() ? written(cell, column, kDash) : HtmlTable::Cell::html(cell.drawn);
  if (cell.bar >= 0) html.share = std::min(cell.bar, 1.0);  // NaN has none
  html.balance = cell.balance;
  return html;
}

std::string html_of(const Table& table, const std::string& caption) {
  std::vector<HtmlTable::Column> columns;
  for (const Column& column : table.columns) {
    if ((column.where & kPage) == 0) continue;
    columns.push_back({column.page_title.empty() ? column.title : column.page_title,
                       column.is_number(), column.help});
  }
  HtmlTable html(columns, caption);
  for (const Table::Row& row : table.rows) {
    if ((row.where & kPage) == 0) continue;
    std::vector<HtmlTable::Cell> cells;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if ((table.columns[i].where & kPage) == 0) continue;
      cells.push_back(html_of(i < row.cells.size() ? row.cells[i] : Cell(), table.columns[i]));
    }
    if (row.is_sum) {
      html.footer(cells);
    } else {
      html.row(cells, row.id);
    }
  }
  const std::string all = table.id.empty()
                              ? html.str()
                              : "<div id=\"" + escaped(table.id) + "\">" + html.str() + "</div>";
  return table.folded.empty() ? all : folded(table.folded, all);
}

/// The sections of a page, part by part.
class Sections {
 public:
  explicit Sections(const Report& report)
      : page_(report.begun ? *report.begun : Page(report.title, report.lead, report.about)) {
    if (report.begun && !report.lead.empty()) page_.lead(report.lead);
    add(report);
  }

  std::string str() {
    end_section();
    return page_.str();
  }

 private:
  /// What stands in a row of its like is in one frame.
  void frame(const std::string& open, const std::string& close) {
    if (open == open_) return;
    html_ += close_ + open;
    open_ = open;
    close_ = close;
  }
  void end_section() {
    frame("", "");
    if (!html_.empty()) page_.section(heading_, html_);
    html_.clear();
  }

  void add(const Report& report) {
    for (const Report::Part& part : report.parts) {
      if ((part.where & kPage) != 0) std::visit(*this, part.what);
    }
  }

 public:
  void operator()(const Report::Section& section) {
    end_section();
    heading_ = below_ = section.heading;
  }
  void operator()(const Report::Heading& heading) {
    frame("", "");
    below_ = heading.text;
    html_ += "<h3>" + escaped(heading.text) + "</h3>\n";
  }
  void operator()(const Report::Lines& lines) {
    frame("", "");
    html_ += "<p class=\"lines\">" + escaped(lines.text) + "</p>\n";
  }
  void operator()(const Report::Note& of) {
    frame("", "");
    html_ += note(of.html);
  }
  void operator()(const Report::Fact& fact) {
    frame("<dl class=\"facts\">", "</dl>\n");
    Column column;
    column.digits = fact.digits;
    html_ += "<div><dt>" + escaped(fact.title) + "</dt><dd>" +
             escaped(written(fact.value, column, kDash)) + " <small>" + escaped(fact.unit) +
             "</small></dd></div>";
  }
  void operator()(const Table& table) {
    frame("", "");
    html_ += html_of(table, below_);
  }
  void operator()(const Report::Charts& of) {
    frame("", "");
    std::string html;
    for (const Chart& chart : of.charts) html += page_.chart(chart);
    html_ += of.side_by_side ? "<div class=\"charts\">" + html + "</div>\n" : html;
  }
  void operator()(const Report::Maps& of) {
    if (!of.title.empty()) {
      frame("<div class=\"panels\">", "</div>\n");
      html_ += "<div><h3>" + escaped(of.title) + "</h3><div class=\"kinds small\">";
    } else {
      frame("", "");
      html_ += of.maps.front().wide ? "<div class=\"strips\">" : "<div class=\"wide\">";
    }
    for (const HeatMap& map : of.maps) {
      html_ += of.title.empty() && !map.wide ? heat_map(map) : titled_heat_map(map);
    }
    html_ += of.title.empty() ? "</div>\n" : "</div></div>\n";
  }
  void operator()(const Report::Labels& labels) { page_.label(labels.key, labels.names); }
  void operator()(const Report::Drawing& drawing) {
    frame("", "");
    html_ += drawing.html(page_);
  }
  void operator()(const Report::Inner& inner) { add(*inner.report); }
  void operator()(const Report::List& list) {
    for (const Report& one : list.reports) add(one);
  }
  void operator()(const Report::PageFile&) {}

 private:
  Page page_;
  std::string heading_ = "Result", below_ = heading_, html_, open_, close_;  // below which heading
};

}  // namespace

std::string as_page(const Report& report) { return Sections(report).str(); }

}  // namespace kette

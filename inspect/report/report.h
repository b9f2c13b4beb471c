// The result of a command as one value, from which text, JSON and page are made. Parts are shown in their order; each
// says which of the three renderings have it.
#pragma once

#include "inspect/page/heat_map.h"
#include "inspect/page/page.h"
#include "inspect/report/table.h"

namespace kette {

struct Report {
  /// Begins a section of the page, which has all parts up to the next Section.
  struct Section {
    std::string heading;
  };
  /// A heading within a section.
  struct Heading {
    std::string text;
  };
  /// Lines with their line breaks; a paragraph on a page.
  struct Lines {
    std::string text;
  };
  /// An explanatory paragraph of a page. html: not escaped.
  struct Note {
    std::string html;
  };
  /// A single value: a key in JSON, a large number with title and unit on a page.
  struct Fact {
    std::string key;
    Cell value;
    std::string title{};
    Digits digits{};
    std::string unit{};
  };
  struct Charts {
    std::vector<Chart> charts;
    bool side_by_side = false;
  };
  /// Small maps of one scale, side by side below a title. Without a title, large maps.
  struct Maps {
    std::string title;
    std::vector<HeatMap> maps;
  };
  /// Names of the rows or columns of maps (HeatMap::row_labels).
  struct Labels {
    std::string key;
    std::vector<std::string> names;
  };
  /// Any other HTML.
  struct Drawing {
    std::function<std::string(Page& page)> html;
  };
  /// Another report: an object in JSON; text and page have its parts.
  struct Inner {
    std::string key;
    std::shared_ptr<const Report> report;
  };
  /// Several reports: a list of objects in JSON.
  struct List {
    std::string key;
    std::vector<Report> reports;
  };
  /// The place of the page's file name and size in JSON.
  struct PageFile {};

  struct Part {
    std::variant<Section, Heading, Lines, Note, Fact, Table, Charts, Maps, Labels, Drawing, Inner,
                 List, PageFile>
        what;
    Where where;
  };

  std::string title{};
  std::string lead{};   ///< of the page, its first sentence: what was found, and how to read it
  std::string about{};  ///< of the page, folded at its end: the model, the settings, the command
  std::vector<Part> parts{};
  /// A page that has charts already, for finished drawings that show them, and a title; null: a new page.
  std::shared_ptr<const Page> begun{};

  /// A report of facts for JSON only.
  static Report of_facts(std::initializer_list<std::pair<const char*, Cell>> all) {
    Report report;
    report.facts(all);
    return report;
  }
  void section(std::string of) { parts.push_back({Section{std::move(of)}, kPage}); }
  void heading(std::string of) { parts.push_back({Heading{std::move(of)}, kPage}); }
  /// text: with its line break.
  void line(std::string text, Where where = kText) {
    parts.push_back({Lines{std::move(text)}, where});
  }
  void note(std::string html) { parts.push_back({Note{std::move(html)}, kPage}); }
  /// For JSON only.
  void fact(std::string key, Cell value) {
    parts.push_back({Fact{std::move(key), std::move(value)}, kJson});
  }
  void facts(std::initializer_list<std::pair<const char*, Cell>> all) {
    for (const auto& [key, value] : all) fact(key, value);
  }
  /// A fact for JSON and page.
  void fact(std::string key, Cell value, std::string of_page, Digits digits,
            std::string unit = "") {
    parts.push_back(
        {Fact{std::move(key), std::move(value), std::move(of_page), digits, std::move(unit)},
         kJson | kPage});
  }
  void table(Table table, Where where = kEverywhere) { parts.push_back({std::move(table), where}); }
  void charts(std::vector<Chart> charts, bool side_by_side = false) {
    if (!charts.empty()) parts.push_back({Charts{std::move(charts), side_by_side}, kPage});
  }
  void maps(std::string of, std::vector<HeatMap> all) {
    if (!all.empty()) parts.push_back({Maps{std::move(of), std::move(all)}, kPage});
  }
  void labels(std::string key, std::vector<std::string> names) {
    parts.push_back({Labels{std::move(key), std::move(names)}, kPage});
  }
  void drawing(std::function<std::string(Page& page)> html) {
    parts.push_back({Drawing{std::move(html)}, kPage});
  }
  void inner(std::string key, Report report) {
    parts.push_back(
        {Inner{std::move(key), std::make_shared<const Report>(std::move(report))}, kEverywhere});
  }
  void list(std::string key, std::vector<Report> reports, Where where = kEverywhere) {
    parts.push_back({List{std::move(key), std::move(reports)}, where});
  }
  /// Appends all parts of another report.
  void add(const Report& other) {
    parts.insert(parts.end(), other.parts.begin(), other.parts.end());
  }
  void page_file() { parts.push_back({PageFile{}, kJson}); }
};

/// from: the first part to write.
std::string as_text(const Report& report, std::size_t from = 0);
std::string as_text(const Table& table);
/// page: {"page": ..., "page_bytes": ...}, or an empty object.
Json as_json(const Report& report, const Json& page);
Json as_json(const Report& report);
std::string as_page(const Report& report);

}  // namespace kette

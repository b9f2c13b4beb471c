// What a command found, as one value: text, JSON and a page are made from it, and so say the same. Its parts stand in
// the order in which they are shown; each says which of the three has it.
#pragma once

#include "inspect/page/heat_map.h"
#include "inspect/page/page.h"
#include "inspect/report/table.h"

namespace kette {

struct Report {
  /// A section of the page begins, with all parts up to the next.
  struct Section {
    std::string heading;
  };
  /// Of a part of a section.
  struct Heading {
    std::string text;
  };
  /// Lines as they are, each with its end; on a page a paragraph.
  struct Lines {
    std::string text;
  };
  /// A paragraph of a page that explains. html: as it is.
  struct Note {
    std::string html;
  };
  /// One value by itself: of JSON a key, of a page a large number with its title and unit.
  struct Fact {
    std::string key;
    Cell value;
    std::string title{};
    Digits digits{};
    std::string unit{};
  };
  /// One under the other, or side by side.
  struct Charts {
    std::vector<Chart> charts;
    bool side_by_side = false;
  };
  /// Small maps of one scale side by side, below their title; where they have none, large ones.
  struct Maps {
    std::string title;
    std::vector<HeatMap> maps;
  };
  /// Names of the rows or columns of maps (HeatMap::row_labels).
  struct Labels {
    std::string key;
    std::vector<std::string> names;
  };
  /// What is too special for a type of its own: it draws itself, as HTML.
  struct Drawing {
    std::function<std::string(Page& page)> html;
  };
  /// Another report: in JSON an object, elsewhere its parts.
  struct Inner {
    std::string key;
    std::shared_ptr<const Report> report;
  };
  /// Others: in JSON a list of objects.
  struct List {
    std::string key;
    std::vector<Report> reports;
  };
  /// Here JSON has what is known of the page's file.
  struct PageFile {};

  struct Part {
    std::variant<Section, Heading, Lines, Note, Fact, Table, Charts, Maps, Labels, Drawing, Inner,
                 List, PageFile>
        what;
    Where where;
  };

  std::string title{}, lead{};  ///< of the page; a sentence or two
  std::vector<Part> parts{};
  /// The page that drawings have put charts on already, for those that are ready made; null: a new one.
  std::shared_ptr<const Page> begun{};

  /// With facts for JSON alone.
  static Report of_facts(std::initializer_list<std::pair<const char*, Cell>> all) {
    Report report;
    report.facts(all);
    return report;
  }
  void section(std::string of) { parts.push_back({Section{std::move(of)}, kPage}); }
  void heading(std::string of) { parts.push_back({Heading{std::move(of)}, kPage}); }
  /// text: with the end of its line.
  void line(std::string text, Where where = kText) {
    parts.push_back({Lines{std::move(text)}, where});
  }
  void note(std::string html) { parts.push_back({Note{std::move(html)}, kPage}); }
  /// For JSON alone.
  void fact(std::string key, Cell value) {
    parts.push_back({Fact{std::move(key), std::move(value)}, kJson});
  }
  void facts(std::initializer_list<std::pair<const char*, Cell>> all) {
    for (const auto& [key, value] : all) fact(key, value);
  }
  /// A fact that a page shows, too.
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
  /// All parts of another one.
  void add(const Report& other) {
    parts.insert(parts.end(), other.parts.begin(), other.parts.end());
  }
  void page_file() { parts.push_back({PageFile{}, kJson}); }
};

/// from: the part to begin with.
std::string as_text(const Report& report, std::size_t from = 0);
std::string as_text(const Table& table);
/// page: {"page": ..., "page_bytes": ...}, or an empty object.
Json as_json(const Report& report, const Json& page);
Json as_json(const Report& report);
std::string as_page(const Report& report);

}  // namespace kette

// One report as text, as JSON and as a page.
#include <doctest/doctest.h>

#include <limits>

#include "data/files/json_text.h"
#include "inspect/report/report.h"
#include "tests/inspect/browser.h"

using namespace kette;
using namespace kette::testing;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Animal {
  std::string name;
  std::int64_t legs;
  double weight;
};
const std::vector<Animal> kAnimals = {{"cat", 4, 4.25}, {"spider", 8, kNone}};

}  // namespace

TEST_CASE("report: a table says the same as text, as JSON and on a page") {
  const Table table =
      tabulated("animals", kAnimals,
                {{{.key = "name", .title = "name", .width = -8, .page_title = "the name"},
                  [](const Animal& a) { return a.name; }},
                 {{.key = "legs", .title = "legs", .digits = whole(), .width = 5},
                  [](const Animal& a) { return Cell(a.legs).marked(a.legs > 4 ? "*" : " "); }},
                 {{.key = "kg",
                   .title = "kg",
                   .digits = decimals(1),
                   .width = 6,
                   .help = "of <one>",
                   .gap = 2},
                  [](const Animal& a) { return Cell(a.weight).with_bar(a.weight / 10); }},
                 {{.title = "at home", .where = kPage},
                  [](const Animal& a) { return Cell().draw(a.legs == 4 ? "<b>yes</b>" : ""); }},
                 {{.key = "eats", .where = kJson}, [](const Animal& a) {
                    return a.legs == 4 ? Cell("mice") : Cell();  // there is no such key
                  }}});
  CHECK(as_text(table) ==
        "name      legs      kg\n"
        "cat         4      4.2\n"
        "spider      8*       -\n");
  Report report{.title = "Animals & co", .lead = "Two of them."};
  report.table(table);
  CHECK(as_json(report).dump() == R"({"animals":[{"name":"cat","legs":4,"kg":4.25,"eats":"mice"},)"
                                  R"({"name":"spider","legs":8,"kg":null}]})");
  const std::string page = as_page(report);
  CHECK(contains(page, "<h1>Animals &amp; co</h1>"));
  CHECK(contains(page, "<th scope=\"col\">the name</th>"));
  CHECK(contains(page, "<th scope=\"col\" class=\"number\" title=\"of &lt;one&gt;\">kg</th>"));
  CHECK(contains(page, "<dt>kg</dt><dd>of &lt;one&gt;</dd>"));
  CHECK(contains(page, "<caption class=\"heard\">"));
  CHECK(contains(page, "<td class=\"number bar\" style=\"--share:42.5%\">4.2</td>"));
  CHECK(contains(page, "<td class=\"number\">\xE2\x80\x93</td>"));
  CHECK(contains(page, "<td class=\"text\"><b>yes</b></td>"));
  CHECK_FALSE(contains(page, "mice"));
}

TEST_CASE("report: columns without a width are as wide as their widest cell, in characters") {
  Table table{.columns = {{.title = "run"},
                          {.title = "loss", .digits = decimals(2)},
                          {.title = "P", .digits = percents(1)}}};
  table.rows = {{{"f\xC3\xBCnf", 1.25, 0.5}}, {{"a longer one", "", 1.0}}};
  CHECK(as_text(table) ==
        "run           loss       P\n"
        "f\xC3\xBCnf          1.25   50.0%\n"
        "a longer one        100.0%\n");
}

TEST_CASE("report: rows, and cells that hold nothing at the end of a line") {
  Table table{.columns = {{.title = "a", .width = -3}, {.title = "b", .width = 4}},
              .has_titles = false};
  table.rows = {{.cells = {"x", 1}, .where = kJson | kPage},
                {.cells = {"y"}},
                {.cells = {"z", Cell()}},
                {.cells = {"sum", 2}, .is_sum = true}};
  CHECK(as_text(table) == "y  \nz  \nsum    2\n");
  Report report;
  report.table(table);
  CHECK(contains(as_page(report), "<tfoot>\n<tr><td class=\"text\">sum</td>"));
}

TEST_CASE("report: its parts keep their order, each where it belongs") {
  Report inner = Report::of_facts({{"mean", 2.5}, {"list", std::vector<double>{1, 2}}});
  inner.line("of the inner\n");
  Report report{.title = "All", .lead = "Lead."};
  report.line("first\n");
  report.fact("metric", "BLEU");
  report.section("Numbers");
  report.fact("score", 12.345, "score", decimals(2), "points");
  report.page_file();
  report.line("both\n", kText | kPage);
  report.inner("inner", inner);
  report.list("all", {Report::of_facts({{"n", 1}}), Report::of_facts({{"n", 2}})});
  report.note("A <i>note</i>.");
  CHECK(as_text(report) == "first\nboth\nof the inner\n");
  CHECK(as_text(report, 5) == "both\nof the inner\n");
  CHECK(as_json(report, {{"page", "a.html"}}).dump() ==
        R"({"metric":"BLEU","score":12.345,"page":"a.html","inner":{"mean":2.5,"list":[1.0,2.0]},)"
        R"("all":[{"n":1},{"n":2}]})");
  const std::string page = as_page(report);
  CHECK(contains(page, "<h2>Numbers</h2>"));
  CHECK(contains(page, "<dt>score</dt><dd>12.35 <small>points</small></dd>"));
  CHECK(contains(page, "<p class=\"lines\">both"));
  CHECK(contains(page, "A <i>note</i>."));
  CHECK_FALSE(contains(page, "\">first"));
  Report again;
  again.fact("seconds", 1.5);
  CHECK(as_json(again, {{"page", "b"}}).dump() == R"({"seconds":1.5,"page":"b"})");
}

TEST_CASE("report: charts, maps and drawings of a page, which a browser opens") {
  Report report{.title = "Drawn", .lead = ""};
  report.section("One");
  report.charts({{.title = "A chart",
                  .x_title = "x",
                  .y_title = "y",
                  .curves = {{.name = "c", .x = {1, 2}, .y = {3, 4}}}}});
  report.labels("rows", {"up", "down"});
  report.maps("Two maps", {{.title = "left: map",
                            .rows = 2,
                            .columns = 1,
                            .values = {0, 1},
                            .row_labels = "rows",
                            .column_labels = "rows",
                            .caption = "left"}});
  report.drawing([](Page& page) {
    page.data("drawn", true);
    return std::string("<p id=\"mine\">Mine.</p>");
  });
  const std::string page = as_page(report);
  CHECK(contains(page, "<h3>Two maps</h3>"));
  CHECK(contains(page, "<figcaption>left <small>"));
  CHECK(contains(page, "\"drawn\":true"));
  Report ready{.title = "Ready"};
  ready.begun = std::make_shared<const Page>(Page("Begun", "before"));
  ready.section("Late");
  ready.note("now");
  for (int i = 0; i < 2; ++i) CHECK(contains(as_page(ready), "<h1>Begun</h1>"));
  KETTE_NEEDS_BROWSER();
  const Opened opened = open_page(page, "document.querySelector('.map').click();");
  CHECK(opened.console == "");
  CHECK(contains(opened.document, "down"));
}

// The writer of pages: offline, escaped, readable without scripts.
#include <doctest/doctest.h>
#include <zlib.h>

#include <cmath>
#include <limits>

#include "data/files/json_text.h"
#include "inspect/page/chart_drawing.h"
#include "inspect/page/heat_map.h"
#include "inspect/page/html.h"
#include "inspect/page/page.h"
#include "tests/inspect/browser.h"

using namespace kette;
using namespace kette::testing;

namespace {

Page page_of_all() {
  Page page("Title <b>", "lead & more");
  HtmlTable table({{"name"}, {"value", true, "help \"here\""}}, "numbers");
  table.row({"b", "2.5"}, "row-b");
  table.row({"a", {"10", 0.5}});
  table.row({HtmlTable::Cell::html("<i>c</i>"), "-3"});
  table.footer({"sum", "9.5"});
  page.section("Some numbers", table.str());
  const std::vector<float> values = {0, 0.5F, 1, 2, std::numeric_limits<float>::quiet_NaN(), -1};
  page.section("A map", heat_map({"map & title", 2, 3, values, 2, "up", "across", "a note"}));
  const std::vector<float> small = {0.021F, 0.05F}, nothing = {0, 0};
  page.section("Small", heat_map({"small", 1, 2, small, 0.05F, "up", "across"}) +
                            heat_map({"none", 1, 2, nothing, 1e-30F, "up", "across"}));
  page.data("labels", {{"up", {"r0", "</script><script>alert(1)"}}, {"across", {"x", "y", "z"}}});
  page.section("Curves",
               page.chart({"loss",
                           "step",
                           "nats",
                           {{"one", {1, 2, 3}, {3, 2, 1}}, {"two", {1, 3}, {std::nan(""), 2.5}}}}));
  return page;
}

}  // namespace

TEST_CASE("page: text of any kind comes out escaped") {
  CHECK(escaped("a<b>&\"c\"") == "a&lt;b&gt;&amp;&quot;c&quot;");
  CHECK(escaped("\xC3\xA4\xFF") == "\xC3\xA4\xEF\xBF\xBD");
  CHECK(escaped(std::string("\0\x1b", 2)) == "&#9216;&#9243;");
  CHECK_THROWS_WITH(HtmlTable({{"one"}}, "").row({"1", "2"}),
                    "HtmlTable: expected 1 cells, given 2");
}

TEST_CASE("page: base64 is that of RFC 4648, a PNG holds its pixels") {
  for (const auto& [plain, coded] : std::vector<std::pair<std::string, std::string>>{
           {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}}) {
    CHECK(base64(plain) == coded);
  }
  const std::vector<std::uint8_t> pixels = {0, 128, 255, 3, 2, 1};
  const std::string png = gray_png(2, 3, pixels);
  CHECK(png.substr(0, 8) == "\x89PNG\r\n\x1A\n");
  CHECK(png.substr(12, 4) == "IHDR");
  CHECK(png.substr(16, 8) == std::string("\0\0\0\3\0\0\0\2", 8));
  const std::size_t content = png.find("IDAT") + 4;
  std::string lines(8, ' ');
  uLongf size = lines.size();
  REQUIRE(::uncompress(reinterpret_cast<Bytef*>(lines.data()), &size,
                       reinterpret_cast<const Bytef*>(png.data() + content),
                       static_cast<uLong>(png.size() - content)) == Z_OK);
  CHECK(lines == std::string("\0\0\x80\xFF\0\3\2\1", 8));
  CHECK_THROWS_WITH(gray_png(0, 3, {}),
                    "png: expected pixels of at least one row and column, given 0 of 0 x 3");
}

TEST_CASE("page: one file without an address, which nothing in its data breaks out of") {
  const std::string html = page_of_all().str();
  CHECK_FALSE(contains(html, "http:"));
  CHECK_FALSE(contains(html, "https:"));
  CHECK_FALSE(contains(html, "src=\"/"));
  CHECK_FALSE(contains(html, "</script><script>alert"));
  CHECK(contains(html, "<title>Title &lt;b&gt;</title>"));
  CHECK(contains(html, "default-src 'none'"));
  CHECK(contains(html, "<a href=\"#Some-numbers\">"));
  CHECK(contains(html, "<svg"));  // the curves, for who has no scripts
  CHECK(html.size() < 250'000);
  Page plain("t", "l");
  plain.section("s", "<p>p</p>");
  CHECK(plain.str().size() < 25'000);  // what only charts need stays out
}

TEST_CASE(
    "page: places of labels are whole on axes of whole numbers, and 1, 2 and 5 on logarithmic ones") {
  using Ticks = std::vector<double>;
  CHECK(axis_ticks(0, 4, false, true, 8) == Ticks{0, 1, 2, 3, 4});
  CHECK(axis_ticks(0, 1, false, true, 8) == Ticks{0, 1});
  CHECK(axis_ticks(0, 1, false, false, 5) == Ticks{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1});
  CHECK(axis_ticks(3, 97, false, true, 5) == Ticks{20, 40, 60, 80});
  CHECK(axis_ticks(1e-9, 1e-2, true, false, 8).size() == 8);
  CHECK(axis_ticks(1, 60, true, false, 8) == Ticks{1, 2, 5, 10, 20, 50});
  CHECK(axis_ticks(7, 7, false, true, 8) == Ticks{7});
  CHECK(axis_ticks(1, std::nextafter(1.0, 2.0), false, false, 8) == Ticks{1});
  CHECK(axis_ticks(1e300, 3e300, false, false, 8).size() > 2);
  CHECK(axis_ticks(82, 84, true, false, 4) == Ticks{82, 82.5, 83, 83.5, 84});
  for (const auto& [value, label] : {std::pair(0.0, "0"),
                                     {1e-9, "1e-9"},
                                     {0.25, "0.25"},
                                     {12500.0, "12,500"},
                                     {1.5e6, "1.5M"}}) {
    CHECK(axis_label(value) == label);
  }
}

TEST_CASE("page: the smallest numbers that there are have their place in a chart") {
  const double least = std::numeric_limits<double>::denorm_min();
  CHECK(rounded_json(least).get<double>() == least);
  CHECK(rounded_json(1.23456789).get<double>() == 1.2346);
  CHECK(rounded_json(-std::numeric_limits<double>::infinity()).is_null());
  CHECK(axis_label(least) == "4.941e-324");
  Chart chart{"t", "x", "y", {{"one", {1, 2, 3}, {1, std::exp(-740), least}}}};
  chart.log_y = true;
  CHECK(contains(Page("t", "l").chart(chart), "4.941e-324 at 3"));
}

TEST_CASE("page: a section is found by its heading, whatever the title; one that is all has none") {
  Page page("Attention", "l");
  page.section("Attention", "<p>one</p>");
  page.section("Attention", "<p>two</p>");
  const std::string html = page.str();
  CHECK(contains(html, "<section id=\"Attention\">\n<h2>Attention</h2>\n<p>one</p>"));
  CHECK(contains(html, "<section id=\"Attention-\">\n<h2>Attention</h2>\n<p>two</p>"));
  CHECK(count_of(html, "<a href=\"#Attention") == 2);
  Page alone("data", "l");  // as kt.chart(..., title="data") makes one
  alone.section("data", "<p>p</p>");
  CHECK(contains(alone.str(), "<section id=\"data\">\n<p>p</p>"));
  CHECK(contains(alone.str(), "<nav></nav>"));
  KETTE_NEEDS_BROWSER();
  CHECK(open_page(alone.str()).console == "");
}

TEST_CASE("page: curves of one family are one entry of a legend; an axis without its 0 says so") {
  Chart chart{"Heads", "step", "share", {}};
  for (int i = 0; i < 48; ++i) {
    chart.curves.push_back({.name = "head " + std::to_string(i),
                            .x = {1, 2},
                            .y = {82, 84},
                            .color = i % 3,
                            .legend = "kind " + std::to_string(i % 3)});
  }
  const std::string html = Page("t", "l").chart(chart);
  CHECK(count_of(html, "<span class=\"c") == 3);
  CHECK(contains(html, "<small>share; the axis does not begin at 0</small>"));
  CHECK(contains(html, "role=\"img\" aria-label=\"Heads, share; head 0: 82 at 1, 84 at 2; "));
  for (Curve& curve : chart.curves) curve.y = {20, 84};
  CHECK(contains(Page("t", "l").chart(chart), "<small>share</small>"));
}

TEST_CASE("page: in a browser tables sort, maps open with their numbers, curves are drawn") {
  KETTE_NEEDS_BROWSER();
  const Opened opened = open_page(page_of_all().str(), R"(
      const button = document.querySelectorAll('th button')[1];
      button.click();
      const order = () => [...document.querySelectorAll('.sortable tbody tr')].map((row) => row.cells[1].textContent).join();
      const falling = order();
      button.click();
      const last = [...document.querySelectorAll('.sortable tr')].at(-1).textContent;
      document.querySelector('.map').click();
      const cells = [...document.querySelectorAll('dialog[open] td.number')].map((cell) => cell.title).join('|');
      const [, small, none] = document.querySelectorAll('.map');
      const numbers = (map) => {
        map.click();
        return [...document.querySelectorAll('dialog[open] td.number')].map((cell) => cell.title.split(': ')[1]).join();
      };
      const others = numbers(small) + ' and ' + numbers(none) + document.querySelector('dialog[open]').textContent.includes('look at');
      document.querySelector('.map').click();
      const drawn = document.querySelectorAll('.plot canvas').length;
      document.body.prepend(element('output', { textContent: [falling, order(), cells, drawn, last, others].join(' ; ') }));)");
  CHECK(opened.console == "");
  const std::size_t begin = opened.document.find("<output>"),
                    end = opened.document.find("</output>");
  REQUIRE(begin != std::string::npos);
  const std::string said = opened.document.substr(begin + 8, end - begin - 8);
  INFO(said);
  CHECK(contains(said, "10,2.5,-3 ; -3,2.5,10 ; "));
  CHECK(contains(said, "r0 \xE2\x86\x92 x: 0.00|r0 \xE2\x86\x92 y: 0.50|r0 \xE2\x86\x92 z: 1.00"));
  CHECK(contains(said, "alert(1) \xE2\x86\x92 x: 2.00"));
  CHECK(contains(said, "z: 0.00 ; 2 ; sum9.5 ; 0.0210,0.0500 and 0.00,0.00false"));
  CHECK(contains(opened.document, "a note"));
}

TEST_CASE("page: in a browser a name hides the curves of its chart, or of its group") {
  KETTE_NEEDS_BROWSER();
  Page page("Losses", "lead");
  std::string html;
  for (const char* group : {"", "", "of one kind", "of one kind"}) {
    Chart chart{"loss", "step", "nats", {{"loss", {1, 2, 3}, {3, 2, 1}}}};
    chart.group = group;
    html += page.chart(chart);
  }
  page.section("Curves", html);
  const Opened opened = open_page(page.str(), R"(
      const names = [...document.querySelectorAll('figure .legend span')];
      names[0].click();
      names[2].click();
      const shown = graphs.map(({ graph }) => graph.visibility()[0]);
      const pressed = names.map((name) => name.getAttribute('aria-pressed'));
      document.body.prepend(element('output', { textContent: [...pressed, ...shown].join() }));)");
  CHECK(opened.console == "");
  CHECK(
      contains(opened.document, "<output>false,true,false,false,false,true,false,false</output>"));
}

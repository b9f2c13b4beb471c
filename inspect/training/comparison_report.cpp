#include <algorithm>
#include <cctype>
#include <cmath>

#include "data/files/json_text.h"
#include "inspect/page/html.h"
#include "inspect/report/report.h"
#include "inspect/report/text.h"
#include "inspect/training/model_comparison.h"

namespace kette {
namespace {

/// 1e-9 and less is nothing, 1 and more is all.
double logarithmic_share(double relative) {
  if (relative == 0) return 0;
  return std::isfinite(relative) ? std::clamp(1 + std::log10(relative) / 9, 0.02, 1.0) : 1;
}

using OfDifference = std::function<Cell(const ValueDifference&)>;

/// In the text the first `rows`, and where `all_in_text` is false, only such as differ.
Table table_of(const std::string& key, const std::string& kind,
               const std::vector<ComparedValues>& all, double tolerance, bool all_in_text,
               std::int64_t rows) {
  const auto of = [](const OfDifference& cell) {
    return [cell](const ComparedValues& one) {
      return one.difference ? cell(*one.difference) : Cell();
    };
  };
  const auto size = [](double value) {
    Cell cell = value;
    return value == 0 ? std::move(cell).draw("0") : cell;
  };
  Table table = tabulated(
      key, all,
      {{{.title = " ", .width = -1, .where = kText},
        [&](const ComparedValues& one) { return one.is_equal(tolerance) ? " " : "*"; }},
       {{.key = "name", .title = kind, .width = -50}, &ComparedValues::name},
       {{.title = "shape", .width = -16}, &ComparedValues::shape},
       {{.key = "largest",
         .title = "largest",
         .digits = scientific(2),
         .width = 10,
         .page_title = "largest difference"},
        [&](const ComparedValues& one) {
          return one.difference ? size(one.difference->largest) : Cell().as(one.why_not);
        }},
       {{.key = "relative",
         .title = "relative",
         .digits = scientific(2),
         .width = 10,
         .help = "to the largest value of the first; bars from 1e-9 to 1"},
        of([&](const ValueDifference& d) {
          return size(d.relative).with_bar(logarithmic_share(d.relative));
        })},
       {{.key = "ulps",
         .title = "ulps",
         .digits = whole(),
         .width = 12,
         .help =
             "the most f32 numbers from one value to the other; a dash where the values are unlike"},
        of([](const ValueDifference& d) {
          constexpr double kUnlike =
              1e-3;  // more is no rounding, and to count numbers between says nothing
          return d.relative > kUnlike ? Cell(d.ulps).as("-") : Cell(d.ulps);
        })},
       {{.key = "elements",
         .title = "elements",
         .digits = grouped(),
         .width = 12,
         .page_title = "elements that differ"},
        of(&ValueDifference::elements)},
       {{.key = "why_not", .where = kJson},
        [](const ComparedValues& one) { return one.difference ? Cell() : Cell(one.why_not); }}});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_dull = !all_in_text && all[i].is_equal(tolerance);
    if (is_dull || rows-- <= 0) table.rows[i].where = kJson | kPage;
  }
  if (rows < 0) {
    const std::string rest = "and " + std::to_string(-rows) + " more (--rows shows them)";
    table.rows.push_back({.cells = {"", rest}, .where = kText});
  }
  return table;
}

void add_verdict(Report& report, const ModelComparison& c, const std::string& a,
                 const std::string& b) {
  const std::size_t first = c.first_parting(), points = c.points.size();
  const std::string at_all = "equal at all " + std::to_string(points) + " points";
  std::string line, html;
  if (c.is_equal()) {
    line =
        at_all + (c.tolerance == 0 ? std::string(", bit for bit") : text(", to %g", c.tolerance));
  } else if (first == points) {
    line = at_all + ", but not in all parameters";
  } else {
    line = "they part at " + c.points[first].name + ", point " + std::to_string(first + 1) +
           " of " + std::to_string(points);
    html = "they part at <a href=\"#first-parting\">" + escaped(c.points[first].name) + "</a>";
  }
  report.line(line + "\n");
  if (html.empty()) html = line;
  html.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(html.front())));
  report.lead = line + "; first is " + a + ", second " + b + ".";
  report.lead.front() = html.front();
  html = "<p class=\"big\">" + html + ".</p>\n";
  Json causes = Json::array();
  std::string list;
  for (const std::string& cause : c.causes) {
    report.line("- " + cause + "\n");
    causes.push_back(cause);
    list += "<li>" + escaped(cause) + "</li>";
  }
  if (!list.empty()) html += "<ul>" + list + "</ul>\n";
  report.section("Result");
  report.drawing([html](Page&) { return html; });
  report.fact("equal", c.is_equal());
  report.fact("first_parting", first < points ? Cell(c.points[first].name) : nested(Json()));
  report.fact("causes", nested(std::move(causes)));
}

Curve relative_differences(const std::vector<ComparedValues>& points) {
  Curve relative{"relative difference", {}, {}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    relative.x.push_back(static_cast<double>(i));
    const auto& difference = points[i].difference;
    // What is equal lies on the ground: a logarithm has no 0.
    relative.y.push_back(difference ? std::max(difference->relative, 1e-9) : std::nan(""));
  }
  return relative;
}

}  // namespace

Report to_report(const ModelComparison& c, const std::string& a, const std::string& b,
                 std::int64_t rows) {
  Report report{.title = "Two models compared"};
  add_verdict(report, c, a, b);
  Json settings = Json::object();
  for (const ComparedSetting& one : c.settings) settings[one.name] = {one.a, one.b};
  report.fact("settings", nested(std::move(settings)));
  if (!c.settings.empty()) {
    report.section("Settings that differ");
    report.table(tabulated("", c.settings,
                           {{{.title = "setting"}, &ComparedSetting::name},
                            {{.title = "first"}, &ComparedSetting::a},
                            {{.title = "second"}, &ComparedSetting::b}}),
                 kPage);
  }
  const auto different = c.different_parameters();
  report.line(text("\n%lld of %zu parameters differ\n", static_cast<long long>(different),
                   c.parameters.size()) +
              (different > 0 ? "\n" : ""));
  const Table parameters =
      table_of("parameters", "parameter", c.parameters, c.tolerance, /*all_in_text=*/false, rows);
  report.table(parameters, different > 0 ? kText | kJson : kJson);
  report.section("Points");
  if (!c.is_equal()) {
    report.charts({{.title = "From point to point",
                    .x_title = "point of the pass",
                    .y_title = "relative difference",
                    .curves = {relative_differences(c.points)},
                    .log_y = true}});
    report.line("\n");
  }
  Table points = table_of("points", "point", c.points, c.tolerance, /*all_in_text=*/true, rows);
  const std::size_t first = c.first_parting();
  if (first < points.rows.size()) points.rows[first].id = "first-parting";
  report.table(std::move(points), c.is_equal() ? kJson | kPage : kEverywhere);
  report.section("Parameters");
  report.table(parameters, kPage);
  report.page_file();
  return report;
}

}  // namespace kette

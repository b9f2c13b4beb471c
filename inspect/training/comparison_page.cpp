#include <algorithm>
#include <cmath>

#include "inspect/page/html.h"
#include "inspect/page/page.h"
#include "inspect/training/model_comparison.h"

namespace kette {
namespace {

std::string in_digits(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.2e", value);
  return value == 0 ? "0" : buffer;
}

/// 1e-9 and less is nothing, 1 and more is all.
double logarithmic_share(double relative) {
  if (relative == 0) return 0;
  return std::isfinite(relative) ? std::clamp(1 + std::log10(relative) / 9, 0.02, 1.0) : 1;
}

std::string table_of(const std::vector<ComparedValues>& all, const std::string& kind,
                     std::size_t chosen) {
  HtmlTable table({{kind},
                   {"shape"},
                   {"largest difference", true},
                   {"relative", true, "to the largest value of the first; bars from 1e-9 to 1"},
                   {"ulps", true, "the most f32 numbers from one value to the other"},
                   {"elements that differ", true}});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ComparedValues& one = all[i];
    if (!one.difference) {
      table.row({one.name, one.shape, one.why_not, "", "", ""});
      continue;
    }
    const ValueDifference& d = *one.difference;
    table.row({one.name,
               one.shape,
               in_digits(d.largest),
               {in_digits(d.relative), logarithmic_share(d.relative)},
               std::to_string(d.ulps),
               std::to_string(d.elements)},
              i == chosen ? "first-parting" : "");
  }
  return table.str();
}

std::string verdict(const ModelComparison& c, const std::string& a, const std::string& b) {
  std::string html = "<p class=\"big\">";
  const std::size_t first = c.first_parting();
  if (c.is_equal()) {
    html += "Equal at all " + std::to_string(c.points.size()) + " points" +
            (c.tolerance == 0 ? ", bit for bit." : ", to " + in_digits(c.tolerance) + ".");
  } else if (first == c.points.size()) {
    html += "Equal at all points of this text, but not in their parameters.";
  } else {
    html += "They part at <a href=\"#first-parting\">" + escaped(c.points[first].name) + "</a>.";
  }
  html += "</p>\n<p>First: <code>" + escaped(a) + "</code>; second: <code>" + escaped(b) +
          "</code></p>\n";
  if (c.causes.empty()) return html;
  html += "<ul>";
  for (const std::string& cause : c.causes) html += "<li>" + escaped(cause) + "</li>";
  return html + "</ul>\n";
}

}  // namespace

std::string comparison_page(const ModelComparison& c, const std::string& a, const std::string& b,
                            const std::string& text) {
  Page page("Two models compared", text + " Made by kette compare.");
  page.section("Result", verdict(c, a, b));
  if (!c.settings.empty()) {
    HtmlTable settings({{"setting"}, {"first"}, {"second"}});
    for (const ComparedSetting& setting : c.settings) {
      settings.row({setting.name, setting.a, setting.b});
    }
    page.section("Settings that differ", settings.str());
  }
  Curve relative{"relative difference", {}, {}};
  for (std::size_t i = 0; i < c.points.size(); ++i) {
    relative.x.push_back(static_cast<double>(i));
    const auto& difference = c.points[i].difference;
    // What is equal lies on the ground: a logarithm has no 0.
    relative.y.push_back(difference ? std::max(difference->relative, 1e-9) : std::nan(""));
  }
  Chart chart{"From point to point", "point of the pass", "relative difference", {relative}};
  chart.log_y = true;
  page.section("Points", (c.is_equal() ? "" : page.chart(chart)) +
                             table_of(c.points, "point", c.first_parting()));
  page.section("Parameters", table_of(c.parameters, "parameter", c.parameters.size()));
  return page.str();
}

}  // namespace kette

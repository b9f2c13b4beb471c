// Charts and heat maps of a reader's own numbers, as pages. kette/_drawings.py makes their arguments.
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>

#include <cmath>

#include "inspect/page/labelled_map.h"
#include "inspect/report/report.h"
#include "python/src/bindings.h"

namespace kette::python {
namespace {

using Numbers = std::vector<double>;

std::string chart_page(
    const std::vector<std::pair<std::string, std::pair<Numbers, Numbers>>>& curves,
    const std::string& title, const std::string& x_title, const std::string& y_title, bool log_x,
    bool log_y) {
  Chart chart{"", x_title, y_title, {}, log_x, log_y};
  for (const auto& [name, points] : curves) {
    KETTE_CHECK(points.first.size() == points.second.size(),
                "chart: expected as many x as y, given ", points.first.size(), " and ",
                points.second.size(), " for ", name);
    chart.curves.push_back({name, points.first, points.second});
  }
  Report report{.title = title.empty() ? "Chart" : title};
  report.section(report.title);
  report.charts({chart});
  return as_page(report);
}

std::string map_page(const std::vector<std::pair<std::string, Numbers>>& maps,
                     const std::vector<std::string>& rows, const std::vector<std::string>& columns,
                     const std::string& title, double most) {
  KETTE_CHECK(std::isfinite(most) && most > 0, "heat_map: expected a largest value above 0, given ",
              most);
  Report report{.title = title.empty() ? "Heat map" : title};
  report.section(report.title);
  std::string html;
  for (const auto& [name, values] : maps) {
    html += labelled_map({maps.size() > 1 ? name : "", rows, columns, values, most});
  }
  report.drawing([html](Page&) { return "<div class=\"labelled-maps\">" + html + "</div>"; });
  return as_page(report);
}

}  // namespace

void bind_drawings(nb::module_& m) {
  m.def("_chart_page", &chart_page, "curves"_a, "title"_a, "x_title"_a, "y_title"_a, "log_x"_a,
        "log_y"_a, "The page of a chart: of each curve its name, x and y.");
  m.def("_map_page", &map_page, "maps"_a, "rows"_a, "columns"_a, "title"_a, "most"_a,
        "The page of heat maps: of each its name and its values, row-major.");
}

}  // namespace kette::python

// A chart as HTML: a legend and an SVG, which needs no script and is what is printed. Scripts lay curves over it that
// can be zoomed.
#pragma once

#include <string>
#include <vector>

#include "data/files/json_fwd.h"
#include "inspect/page/page.h"

namespace kette {

/// number: of the chart in the page's data.
std::string chart_figure(const Chart& chart, std::size_t number);
/// What scripts draw.
Json chart_json(const Chart& chart);
/// A number with so many digits, of which five say more than a curve shows; null if it is not finite.
Json rounded_json(double value, int digits = 5);
Json rounded_list(const std::vector<double>& values, int digits = 5);

/// Places for labels on an axis: multiples of 1, 2 or 5 times a power of ten, on a logarithmic axis these themselves.
/// whole: of whole numbers alone. most: how many there may be.
std::vector<double> axis_ticks(double low, double high, bool logarithmic, bool whole, int most);
/// 0.004, 3e-7, 12,500, 1.5M
std::string axis_label(double value);

}  // namespace kette

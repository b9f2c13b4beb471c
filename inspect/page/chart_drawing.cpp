#include "inspect/page/chart_drawing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "data/files/json_text.h"
#include "inspect/page/html.h"

namespace kette {
namespace {

constexpr double kWidth = 600, kHeight = 220;

/// One axis of a drawing: where a value lies between its ends.
class Axis {
 public:
  Axis(bool logarithmic, double length) : logarithmic_(logarithmic), length_(length) {}
  void extend(const std::vector<double>& values) {
    for (const double value : values) {
      if (!shows(value)) continue;
      low_ = std::min(low_, value);
      high_ = std::max(high_, value);
      whole_ = whole_ && value == std::floor(value);
    }
  }
  /// Begins at 0 if that takes no more than half of the axis.
  void begin_at_zero() {
    if (wants_zero()) low_ = 0;
  }
  bool wants_zero() const {
    return !logarithmic_ && low_ > 0 && (low_ <= 0.5 * high_ || low_ == high_);
  }
  bool leaves_zero_out() const { return !logarithmic_ && (low_ > 0 || high_ < 0) && !wants_zero(); }
  bool is_whole() const { return whole_; }
  bool is_empty() const { return high_ < low_; }
  bool shows(double value) const { return std::isfinite(value) && (!logarithmic_ || value > 0); }
  double at(double value) const {
    const double low = scaled(low_), high = scaled(high_);
    return high > low ? length_ * (scaled(value) - low) / (high - low) : length_ / 2;
  }
  std::vector<double> ticks(int most) const {
    if (is_empty()) return {};
    return axis_ticks(low_, high_, logarithmic_, whole_, most);
  }

 private:
  double scaled(double value) const { return logarithmic_ ? std::log10(value) : value; }

  bool logarithmic_, whole_ = true;
  double length_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
};

struct Axes {
  Axis across, up;

  explicit Axes(const Chart& chart) : across(chart.log_x, kWidth), up(chart.log_y, kHeight) {
    for (const Curve& curve : chart.curves) {
      across.extend(curve.x);
      up.extend(curve.y);
    }
  }
};

int color_of(const Chart& chart, std::size_t curve) {
  const int color = chart.curves[curve].color;
  return (color < 0 ? static_cast<int>(curve) : color) % 7;
}

/// Marked curves of several colours differ in their dashes, too, so that one that lies on another is seen.
int dashes_of(const Chart& chart, std::size_t curve) { return color_of(chart, curve) % 3; }

std::string class_of(const Chart& chart, std::size_t curve) {
  const std::string color = "c" + std::to_string(color_of(chart, curve));
  switch (chart.curves[curve].kind) {
    case CurveKind::faint:
      return color + " faint";
    case CurveKind::marked:
      return color + " marked m" + std::to_string(dashes_of(chart, curve));
    default:
      return color;
  }
}

const std::string& legend_of(const Curve& curve) {
  return curve.legend.empty() ? curve.name : curve.legend;
}

std::string drawing(const Chart& chart) {
  Axes axes(chart);
  axes.up.begin_at_zero();
  std::string svg =
      "<svg viewBox=\"-64 -12 684 272\" aria-hidden=\"true\"><path class=\"axes\" d=\"M0 0V220H600\"/>";
  const auto text = [&](double x, double y, const char* anchor, const std::string& content) {
    svg += "<text x=\"" + fixed(x, 0) + "\" y=\"" + fixed(y, 0) + "\" text-anchor=\"" + anchor +
           "\">" + escaped(content) + "</text>";
  };
  for (const double tick : axes.across.ticks(8)) {
    text(axes.across.at(tick), 236, "middle", axis_label(tick));
  }
  for (const double tick : axes.up.ticks(5)) {
    const double y = kHeight - axes.up.at(tick);
    svg += "<path class=\"grid\" d=\"M0 " + fixed(y, 1) + "H600\"/>";
    text(-6, y + 4, "end", axis_label(tick));
  }
  text(kWidth / 2, 255, "middle", chart.x_title);
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const Curve& curve = chart.curves[i];
    std::string path, points;
    bool joined = false;
    for (std::size_t at = 0; at < curve.x.size(); ++at) {
      const bool shown = axes.across.shows(curve.x[at]) && axes.up.shows(curve.y[at]);
      if (shown) {
        const std::string place = fixed(axes.across.at(curve.x[at]), 1) + " " +
                                  fixed(kHeight - axes.up.at(curve.y[at]), 1);
        path += (joined ? "L" : "M") + place;
        if (curve.kind == CurveKind::marked) points += "M" + place + "h0";
      }
      joined = shown;
    }
    const std::string classes = class_of(chart, i);
    svg += "<path class=\"curve " + classes + "\" d=\"" + path + "\"><title>" +
           escaped(curve.name) + "</title></path>";
    if (!points.empty()) svg += "<path class=\"points " + classes + "\" d=\"" + points + "\"/>";
  }
  return svg + "</svg>";
}

/// A name for each family of curves. Many are folded.
std::string legend(const Chart& chart) {
  constexpr std::size_t kMany = 14;
  std::string html;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const Curve& curve = chart.curves[i];
    const std::string& name = legend_of(curve);
    if (curve.kind == CurveKind::faint) continue;
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(name);
    html += "<span class=\"" + class_of(chart, i) + "\">" + escaped(name) + "</span> ";
  }
  html = "<p class=\"legend\">" + html + "</p>";
  return names.size() <= kMany ? html : folded(std::to_string(names.size()) + " curves", html);
}

/// The chart in words: where its curves begin and end.
std::string heard(const Chart& chart) {
  constexpr std::size_t kMost = 8;
  std::string text = chart.title + (chart.y_title.empty() ? "" : ", " + chart.y_title);
  std::size_t told = 0;
  for (const Curve& curve : chart.curves) {
    if (curve.kind == CurveKind::faint || curve.y.empty() || ++told > kMost) continue;
    text += "; " + curve.name + ": " + axis_label(curve.y.front()) + " at " +
            axis_label(curve.x.front());
    if (curve.y.size() > 1) {
      text += ", " + axis_label(curve.y.back()) + " at " + axis_label(curve.x.back());
    }
  }
  return text + (told > kMost ? "; and " + std::to_string(told - kMost) + " more" : "") + ".";
}

}  // namespace

Json rounded_json(double value, int digits) {
  if (!std::isfinite(value)) return nullptr;
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
  return std::strtod(buffer, nullptr);  // std::stod throws for the smallest numbers
}

Json rounded_list(const std::vector<double>& values, int digits) {
  Json list = Json::array();
  for (const double value : values) list.push_back(rounded_json(value, digits));
  return list;
}

std::vector<double> axis_ticks(double low, double high, bool logarithmic, bool whole, int most) {
  std::vector<double> ticks;
  constexpr double kSlack = 1e-9;
  if (logarithmic && high >= 5 * low) {
    const double first = std::floor(std::log10(low)), last = std::ceil(std::log10(high));
    const double apart = std::ceil((last - first + 1) / most);
    const bool fine = 3 * (last - first) <= most;
    for (double power = first; power <= last; power += apart) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double tick = std::strtod(("1e" + fixed(power, 0)).c_str(), nullptr) * factor;
        if ((factor == 1 || fine) && tick >= low * (1 - kSlack) && tick <= high * (1 + kSlack)) {
          ticks.push_back(tick);
        }
      }
    }
    return ticks;
  }
  if (!(high - low > kSlack * std::max(std::abs(low), std::abs(high)))) return {low};
  const double rough = (high - low) / most, ten = std::pow(10, std::floor(std::log10(rough)));
  double apart = 10 * ten;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * ten >= rough * (1 - kSlack)) apart = factor * ten;
  }
  if (whole) apart = std::max(1.0, apart);
  const double first = std::ceil(low / apart - kSlack);
  for (int i = 0; i <= 2 * most && (first + i) * apart <= high + kSlack * apart; ++i) {
    ticks.push_back((first + i) * apart + 0.0);  // 0 has no sign
  }
  return ticks;
}

std::string axis_label(double value) {
  if (!std::isfinite(value)) return "\xE2\x80\x93";
  char buffer[32];
  const auto shortest = [&](double number) {
    std::snprintf(buffer, sizeof buffer, "%.4g", number);
    return std::string(buffer);
  };
  const double size = std::abs(value);
  if (value == 0 || (size >= 1e-3 && size < 1e3)) return shortest(value);
  if (size >= 1e3 && size < 1e6) {
    std::string digits = std::to_string(std::llround(value));
    digits.insert(digits.size() - 3, ",");
    return digits;
  }
  if (size >= 1e6 && size < 1e9) return shortest(value / 1e6) + "M";
  if (size >= 1e9 && size < 1e12) return shortest(value / 1e9) + "B";
  const int power = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  // 10^power would be 0 for the smallest numbers.
  const double leading =
      power < -300 ? value * 1e20 / std::pow(10, power + 20) : value / std::pow(10, power);
  return shortest(leading) + "e" + std::to_string(power);
}

std::string chart_figure(const Chart& chart, std::size_t number) {
  std::string unit = chart.y_title;
  if (Axes(chart).up.leaves_zero_out()) {
    unit += unit.empty() ? "the axis does not begin at 0" : "; the axis does not begin at 0";
  }
  return "<figure class=\"chart\"><figcaption>" + escaped(chart.title) +
         (unit.empty() ? "" : " <small>" + escaped(unit) + "</small>") + "</figcaption>" +
         legend(chart) + "<div class=\"plot\" role=\"img\" aria-label=\"" + escaped(heard(chart)) +
         "\" data-chart=\"" + std::to_string(number) + "\">" + drawing(chart) + "</div></figure>\n";
}

Json chart_json(const Chart& chart) {
  const Axes axes(chart);
  Json curves = Json::array();
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const Curve& curve = chart.curves[i];
    curves.push_back({{"name", curve.name},
                      {"legend", legend_of(curve)},
                      {"kind", static_cast<int>(curve.kind)},
                      {"color", color_of(chart, i)},
                      {"dashes", dashes_of(chart, i)},
                      {"scale", curve.scale},
                      {"x", rounded_list(curve.x, 9)},  // places that lie close stay apart
                      {"y", rounded_list(curve.y)}});
  }
  return {{"title", chart.title},
          {"x", chart.x_title},
          {"y", chart.y_title},
          {"log_x", chart.log_x},
          {"log_y", chart.log_y},
          {"whole_x", axes.across.is_whole()},
          {"whole_y", axes.up.is_whole()},
          {"from_zero", axes.up.wants_zero()},
          {"group", chart.group},
          {"curves", std::move(curves)}};
}

}  // namespace kette

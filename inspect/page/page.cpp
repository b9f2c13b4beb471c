#include "inspect/page/page.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "data/files/json_text.h"
#include "inspect/page/assets.h"
#include "inspect/page/html.h"

namespace kette {
namespace {

/// JSON within HTML: no `<`, so that nothing in it ends the element.
std::string within_script(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace), result;
  for (const char c : text) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

/// Five digits say more than a drawing shows; places along it need to stay apart.
Json rounded(const std::vector<double>& values, int digits = 5) {
  Json list = Json::array();
  for (const double value : values) {
    if (!std::isfinite(value)) {
      list.push_back(nullptr);
      continue;
    }
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    list.push_back(std::stod(buffer));
  }
  return list;
}

/// One axis of a drawing: where a value lies between its ends.
class Axis {
 public:
  Axis(bool logarithmic, double length) : logarithmic_(logarithmic), length_(length) {}
  void extend(const std::vector<double>& values) {
    for (const double value : values) {
      if (!shows(value)) continue;
      low_ = std::min(low_, scaled(value));
      high_ = std::max(high_, scaled(value));
    }
  }
  bool shows(double value) const { return std::isfinite(value) && (!logarithmic_ || value > 0); }
  double at(double value) const {
    return high_ > low_ ? length_ * (scaled(value) - low_) / (high_ - low_) : length_ / 2;
  }
  std::string low() const { return end(low_); }
  std::string high() const { return end(high_); }

 private:
  double scaled(double value) const { return logarithmic_ ? std::log10(value) : value; }
  std::string end(double value) const {
    if (high_ < low_) return "";
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.4g", logarithmic_ ? std::pow(10, value) : value);
    return buffer;
  }

  bool logarithmic_;
  double length_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
};

int color_of(const Chart& chart, std::size_t curve) {
  const int color = chart.curves[curve].color;
  return (color < 0 ? static_cast<int>(curve) : color) % 7;
}

std::string class_of(const Curve& curve) {
  return curve.kind == CurveKind::faint    ? " faint"
         : curve.kind == CurveKind::marked ? " marked"
                                           : "";
}

/// What is there to see without scripts.
std::string drawing(const Chart& chart) {
  constexpr double kWidth = 560, kHeight = 220;
  Axis across(chart.log_x, kWidth), up(chart.log_y, kHeight);
  for (const Curve& curve : chart.curves) {
    across.extend(curve.x);
    up.extend(curve.y);
  }
  std::string svg =
      "<svg viewBox=\"-60 -10 640 270\" role=\"img\" aria-label=\"" + escaped(chart.title) + "\">";
  svg += "<path class=\"axes\" d=\"M0 0V220H560\"/>";
  const auto label = [&](double x, double y, const char* anchor, const std::string& text) {
    svg += "<text x=\"" + fixed(x, 0) + "\" y=\"" + fixed(y, 0) + "\" text-anchor=\"" + anchor +
           "\">" + escaped(text) + "</text>";
  };
  label(-6, 10, "end", up.high());
  label(-6, 220, "end", up.low());
  label(0, 238, "start", across.low());
  label(560, 238, "end", across.high());
  label(280, 238, "middle", chart.x_title);
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const Curve& curve = chart.curves[i];
    std::string path;
    bool joined = false;
    for (std::size_t at = 0; at < curve.x.size(); ++at) {
      const bool shown = across.shows(curve.x[at]) && up.shows(curve.y[at]);
      if (shown) {
        path += (joined ? "L" : "M") + fixed(across.at(curve.x[at]), 1) + " " +
                fixed(kHeight - up.at(curve.y[at]), 1);
      }
      joined = shown;
    }
    svg += "<path class=\"curve c" + std::to_string(color_of(chart, i)) + class_of(curve) +
           "\" d=\"" + path + "\"><title>" + escaped(curve.name) + "</title></path>";
  }
  return svg + "</svg>";
}

std::string legend(const Chart& chart) {
  std::string html = "<p class=\"legend\">";
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const Curve& curve = chart.curves[i];
    if (curve.kind == CurveKind::faint) continue;
    html += "<span class=\"c" + std::to_string(color_of(chart, i)) + class_of(curve) + "\">" +
            escaped(curve.legend.empty() ? curve.name : curve.legend) + "</span> ";
  }
  return html + "</p>";
}

std::string anchor(const std::string& heading) {
  std::string id;
  for (const char c : heading) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    id += plain ? c : '-';
  }
  return id;
}

}  // namespace

Page::Page(std::string title, std::string lead)
    : title_(std::move(title)),
      lead_(std::move(lead)),
      data_(std::make_unique<Json>(Json::object())),
      charts_(std::make_unique<Json>(Json::array())) {}
Page::Page(const Page& other)
    : title_(other.title_),
      lead_(other.lead_),
      contents_(other.contents_),
      sections_(other.sections_),
      scripts_(other.scripts_),
      data_(std::make_unique<Json>(*other.data_)),
      charts_(std::make_unique<Json>(*other.charts_)) {}
Page::Page(Page&&) noexcept = default;
Page::~Page() = default;

void Page::data(const std::string& key, Json value) { (*data_)[key] = std::move(value); }
void Page::label(const std::string& key, const std::vector<std::string>& names) {
  (*data_)["labels"][key] = names;
}

void Page::section(const std::string& heading, const std::string& html) {
  if (heading == title_) {  // a page of one part needs no second heading
    sections_ += "<section>\n" + html + "</section>\n";
    return;
  }
  std::string id = anchor(heading);
  while (contents_.find("\"#" + id + "\"") != std::string::npos) id += '-';  // another section's
  contents_ += "<a href=\"#" + id + "\">" + escaped(heading) + "</a> ";
  sections_ +=
      "<section id=\"" + id + "\">\n<h2>" + escaped(heading) + "</h2>\n" + html + "</section>\n";
}

std::string Page::chart(const Chart& chart) {
  Json curves = Json::array();
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const Curve& curve = chart.curves[i];
    curves.push_back({{"name", curve.name},
                      {"legend", curve.legend.empty() ? curve.name : curve.legend},
                      {"kind", static_cast<int>(curve.kind)},
                      {"color", color_of(chart, i)},
                      {"scale", curve.scale},
                      {"x", rounded(curve.x, 9)},
                      {"y", rounded(curve.y)}});
  }
  const std::string number = std::to_string(charts_->size());
  charts_->push_back({{"title", chart.title},
                      {"x", chart.x_title},
                      {"y", chart.y_title},
                      {"log_x", chart.log_x},
                      {"log_y", chart.log_y},
                      {"group", chart.group},
                      {"curves", std::move(curves)}});
  return "<figure class=\"chart\"><figcaption>" + escaped(chart.title) +
         (chart.y_title.empty() ? "" : " <small>" + escaped(chart.y_title) + "</small>") +
         "</figcaption>" + legend(chart) + "<div class=\"plot\" data-chart=\"" + number + "\">" +
         drawing(chart) + "</div></figure>\n";
}

std::string Page::str() const {
  Json all = *data_;
  std::string styles(assets::page_css), scripts;
  const auto add = [&](std::string_view source) {
    scripts += "<script>\n" + std::string(source) + "\n</script>\n";
  };
  if (!charts_->empty()) {
    all["charts"] = *charts_;
    styles = std::string(assets::dygraph_css) + styles;
    add(assets::dygraph_js);
  }
  add(assets::page_js);
  if (!charts_->empty()) add(assets::charts_js);
  for (const std::string& source : scripts_) add(source);
  return std::string(kPageStart) +
         "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
         "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
         "<title>" +
         escaped(title_) + "</title>\n<style>\n" + styles +
         "</style>\n</head>\n<body>\n<header>\n<h1>" + escaped(title_) +
         "</h1>\n<p class=\"lead\">" + escaped(lead_) + "</p>\n<nav>" + contents_ +
         "</nav>\n</header>\n<main>\n" + sections_ +
         "</main>\n<script type=\"application/json\" id=\"data\">" + within_script(all) +
         "</script>\n" + scripts + "</body>\n</html>\n";
}

}  // namespace kette

#include "inspect/page/sparkline.h"

#include <algorithm>
#include <cmath>

#include "inspect/page/html.h"

namespace kette {
namespace {

constexpr double kSparkWidth = 100, kSparkHeight = 20;

std::string framed(const std::string& path, const char* kind = "spark") {
  return std::string("<svg class=\"") + kind +
         "\" viewBox=\"0 0 100 20\" preserveAspectRatio=\"none\" "
         "aria-hidden=\"true\"><path d=\"" +
         path + "\"/></svg>";
}

}  // namespace

std::string sparkline(const std::vector<double>& values, double low, double high) {
  std::string path;
  bool joined = false;
  const double last = std::max<double>(1, static_cast<double>(values.size()) - 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool shown = std::isfinite(values[i]);
    if (shown) {
      const double share =
          high > low ? std::clamp((values[i] - low) / (high - low), 0.0, 1.0) : 0.5;
      path += (joined ? "L" : "M") + fixed(kSparkWidth * static_cast<double>(i) / last, 1) + " " +
              fixed(1 + (kSparkHeight - 2) * (1 - share), 1);
    }
    joined = shown;
  }
  return framed(path);
}

std::string spark_bars(const std::vector<double>& values) {
  const double most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  const double width = kSparkWidth / std::max<double>(1, static_cast<double>(values.size()));
  std::string path;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] > 0)) continue;
    const double left = width * static_cast<double>(i);
    path += "M" + fixed(left, 1) + " 20V" + fixed(kSparkHeight * (1 - values[i] / most), 1) + "H" +
            fixed(left + 0.8 * width, 1) + "V20Z";
  }
  return framed(path, "spark bars");
}

}  // namespace kette

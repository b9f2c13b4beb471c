#include "serve/metrics.h"

#include <algorithm>

#include "tensor/shortest.h"

namespace kette {
namespace {

std::string written(const MetricLabels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += (text.empty() ? "" : ",") + name + "=\"";
    for (const char c : value) {
      if (c == '\n') {
        text += "\\n";
      } else {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
      }
    }
    text += '"';
  }
  return text;
}

std::string line(const std::string& name, const std::string& labels, double value) {
  return name + (labels.empty() ? "" : "{" + labels + "}") + " " + shortest(value) + "\n";
}

}  // namespace

void Metrics::add(const std::string& counter, const MetricLabels& labels, double count) {
  const std::lock_guard lock(mutex_);
  counters_[counter][written(labels)] += count;
}

void Metrics::observe(const std::string& histogram, double value, const MetricLabels& labels) {
  const std::lock_guard lock(mutex_);
  Histogram& found = histograms_[histogram][written(labels)];
  const Bounds& bounds = bounds_of(histogram);
  const auto bound = std::lower_bound(bounds.begin(), bounds.end(), value);
  ++found.counts[static_cast<std::size_t>(bound - bounds.begin())];
  found.sum += value;
}

void Metrics::gauge(const std::string& name, const MetricLabels& labels,
                    std::function<double()> value) {
  const std::lock_guard lock(mutex_);
  gauges_[name][written(labels)] = std::move(value);
}

std::string Metrics::text() const {
  const auto all_gauges = [this] {
    const std::lock_guard lock(mutex_);
    return gauges_;
  }();
  std::string gauges;
  for (const auto& [name, values] : all_gauges) {
    gauges += "# TYPE " + name + " gauge\n";
    for (const auto& [labels, value] : values) gauges += line(name, labels, value());
  }
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& [name, values] : counters_) {
    text += "# TYPE " + name + " counter\n";
    for (const auto& [labels, value] : values) text += line(name, labels, value);
  }
  text += gauges;
  for (const auto& [name, values] : histograms_) {
    text += "# TYPE " + name + " histogram\n";
    for (const auto& [labels, histogram] : values) {
      const std::string before = labels.empty() ? "" : labels + ",";
      const Bounds& bounds = bounds_of(name);
      std::int64_t count = 0;
      for (std::size_t i = 0; i <= bounds.size(); ++i) {
        count += histogram.counts[i];
        const std::string bound = i < bounds.size() ? shortest(bounds[i]) : "+Inf";
        text += line(name + "_bucket", before + "le=\"" + bound + "\"", static_cast<double>(count));
      }
      text += line(name + "_sum", labels, histogram.sum);
      text += line(name + "_count", labels, static_cast<double>(count));
    }
  }
  return text;
}

}  // namespace kette

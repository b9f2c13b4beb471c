// The metrics of a server, for Prometheus (text format 0.0.4).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace kette {

/// Names and values: {{"api", "openai"}, {"code", "200"}}.
using MetricLabels = std::vector<std::pair<std::string, std::string>>;

class Metrics {
 public:
  void add(const std::string& counter, const MetricLabels& labels = {}, double count = 1);
  /// Adds a value to a histogram: of rows if its name ends in _rows, else of seconds.
  void observe(const std::string& histogram, double value, const MetricLabels& labels = {});
  /// Adds a gauge whose function is called when the metrics are read. It may wait for threads that
  /// add to the metrics.
  void gauge(const std::string& name, const MetricLabels& labels, std::function<double()> value);

  std::string text() const;

 private:
  using Bounds = std::array<double, 14>;
  static constexpr Bounds kSeconds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                      0.25,  0.5,    1,     2.5,  5,     10,   60},
                          kRows = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
  static const Bounds& bounds_of(const std::string& histogram) {
    return histogram.ends_with("_rows") ? kRows : kSeconds;
  }
  struct Histogram {
    std::array<std::int64_t, std::tuple_size_v<Bounds> + 1> counts{};
    double sum = 0;
  };
  mutable std::mutex mutex_;
  // By name, then by the text of the labels.
  std::map<std::string, std::map<std::string, double>> counters_;
  std::map<std::string, std::map<std::string, Histogram>> histograms_;
  std::map<std::string, std::map<std::string, std::function<double()>>> gauges_;
};

}  // namespace kette

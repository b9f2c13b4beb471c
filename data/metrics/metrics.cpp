#include "data/metrics/metrics.h"

#include <algorithm>

#include "data/metrics/bleu.h"
#include "data/metrics/chrf.h"
#include "data/metrics/ter.h"

namespace kette {
namespace {

struct Row {
  const char* name;
  std::unique_ptr<MetricConfig> (*config)();
  const char* note = "";
  bool lower_is_better = false;
};

constexpr Row kMetrics[] = {
    {"bleu", bleu_config},
    {"chrf", chrf_config},
    {"chrf++", chrf_plus_plus_config, "chrf++ is chrf with words up to order 2"},
    {"ter", ter_config, "of ter lower is better", true},
};

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const Row& row : kMetrics) names.emplace_back(row.name);
  return names;
}

std::unique_ptr<MetricConfig> metric_config(const std::string& name) {
  for (const Row& row : kMetrics) {
    if (row.name == name) return row.config();
  }
  fail("metric: expected one of ", joined(metric_names()), ", given ", name);
}

std::vector<std::string> metric_notes() {
  std::vector<std::string> notes;
  for (const Row& row : kMetrics) {
    if (*row.note != '\0') notes.emplace_back(row.note);
  }
  return notes;
}

bool lower_is_better(const std::string& name) {
  return std::any_of(std::begin(kMetrics), std::end(kMetrics),
                     [&](const Row& row) { return row.name == name && row.lower_is_better; });
}

}  // namespace kette

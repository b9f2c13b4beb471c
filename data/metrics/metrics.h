// The table of metrics, for --metric, --mbr, --best-by and comparisons of translations.
#pragma once

#include "data/metrics/metric.h"

namespace kette {

/// In the order of --help.
std::vector<std::string> metric_names();
/// With default options. An unknown name is an Error.
std::unique_ptr<MetricConfig> metric_config(const std::string& name);
/// Notes for --help: "of ter lower is better".
std::vector<std::string> metric_notes();
/// Whether lower scores of a metric in the table are better; false for any other name.
bool lower_is_better(const std::string& name);

}  // namespace kette

// The table of metrics: what --metric, --mbr and --best-by go by, and whoever compares translations.
#pragma once

#include "data/metrics/metric.h"

namespace kette {

/// In the order that help lists them.
std::vector<std::string> metric_names();
/// With the defaults. An unknown name is an Error.
std::unique_ptr<MetricConfig> metric_config(const std::string& name);
/// What help says of some of them: "of ter lower is better".
std::vector<std::string> metric_notes();
/// Of a metric of the table whether lower scores are better; of any other score not.
bool lower_is_better(const std::string& name);

}  // namespace kette

// Reports of a model's cost by part, and of the points where a tap can read it.
#pragma once

#include <filesystem>

#include "inspect/report/report.h"
#include "models/model_config.h"

namespace kette::cli {

/// Parameters, FLOPs and memory by part, and the configuration. folder: of a trained model, to describe its file;
/// empty: none.
Report report_of_model(const ModelConfig& config, const std::filesystem::path& folder = {});
/// The points of a forward pass, with their shapes.
Report report_of_points(const ModelConfig& config);

}  // namespace kette::cli

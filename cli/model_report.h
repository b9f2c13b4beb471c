// What a model costs, part by part, and where a tap can look into it.
#pragma once

#include <filesystem>

#include "inspect/report/report.h"
#include "models/model_config.h"

namespace kette::cli {

/// Parameters, FLOPs and memory of its parts, and its configuration. folder: of a trained one, whose file is told of;
/// empty: there is none.
Report report_of_model(const ModelConfig& config, const std::filesystem::path& folder = {});
/// The points of a pass, with the shapes there.
Report report_of_points(const ModelConfig& config);

}  // namespace kette::cli

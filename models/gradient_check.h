// The gradient check of a whole model: d loss / d parameter against central differences in
// f64 (see autograd/gradient_check.h), through embeddings, dropout, attention, norms and the
// label-smoothed loss at once.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "autograd/gradient_check.h"
#include "models/model_config.h"

namespace kette {

using ParameterGaps = std::vector<std::pair<std::string, GradientGap>>;

/// Checks up to `elements_each` elements of each parameter (0: all) of a random model on its family's
/// example batch.
ParameterGaps check_model(const ModelConfig& config, std::int64_t elements_each,
                          const GradientCheckOptions& options = {});

}  // namespace kette

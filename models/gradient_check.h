// The gradient check of a whole model in f64 (autograd/gradient_check.h): d loss / d parameter
// through embeddings, dropout, attention, norms and the label-smoothed loss.
#pragma once

#include "autograd/gradient_check.h"
#include "models/model_config.h"

namespace kette {

/// Checks every parameter of a random model on its family's example batch. order: 1, or 2 for
/// second derivatives.
ParameterChecks check_model(const ModelConfig& config, const GradientCheckOptions& options = {},
                            std::int64_t order = 1);

}  // namespace kette

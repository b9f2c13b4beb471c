// What commands say of a gradient check.
#pragma once

#include "autograd/gradient_check.h"
#include "data/files/json_fwd.h"

namespace kette::cli {

/// One line: both proofs, and the worst place. Of a check that failed, the rule that it broke.
std::string summary_of(const GradientCheck& check);
/// {"passed": ..., "differences": {...}, "adjoint": {...} or null, "fault": ...}
Json check_json(const GradientCheck& check);

}  // namespace kette::cli

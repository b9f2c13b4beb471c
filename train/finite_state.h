// What is not finite is not saved.
#pragma once

#include <cstdint>

#include "train/communicator.h"
#include "train/optimizer.h"

namespace kette {

/// Throws an Error in all processes unless parameters and moments are finite at this step. saved_step: the step that a
/// resume continues from, for the message.
void expect_finite(std::int64_t step, const Optimizer& optimizer, Communicator& communicator,
                   std::int64_t saved_step);

}  // namespace kette

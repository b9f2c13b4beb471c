// The functions that run the experiments, one file each.
#pragma once

#include "inspect/lab/experiment.h"

namespace kette {

RunExperiment lens_experiment, align_experiment, heads_experiment, induction_experiment,
    superposition_experiment, grokking_experiment, circuits_experiment, attention_cost_experiment,
    scaling_experiment, sharpness_experiment;

}  // namespace kette

// Messages of a run at its start and at the start of a stage. For messages about its length see train/run_length.h.
#pragma once

#include "train/progress.h"
#include "train/run_folder.h"
#include "train/train_options.h"

namespace kette {

/// Says that there is nothing to resume, or that data changed.
void say_what_changed(Progress& progress, const TrainOptions& options, const RunFolder& folder,
                      std::int64_t step);
/// For several processes: says who they are and how they share a step.
void say_who_works(Progress& progress, const TrainOptions& options, const Optimizer& optimizer);
/// Says that a stage begins with this step.
void say_stage(Progress& progress, const TrainOptions& options, std::int64_t stage,
               std::int64_t step);

}  // namespace kette

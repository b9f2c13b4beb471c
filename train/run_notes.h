// What a run says of itself: before its first step, besides how long it is to be (train/run_length.h), and when a stage of
// it begins.
#pragma once

#include "train/progress.h"
#include "train/run_folder.h"
#include "train/train_options.h"

namespace kette {

/// That a resume has nothing to go on from, or that data are not what they were.
void say_what_changed(Progress& progress, const TrainOptions& options, const RunFolder& folder,
                      std::int64_t step);
/// Of several processes who they are, and what a step is.
void say_who_works(Progress& progress, const TrainOptions& options, const Optimizer& optimizer);
/// That a stage begins with this step.
void say_stage(Progress& progress, const TrainOptions& options, std::int64_t stage,
               std::int64_t step);

}  // namespace kette

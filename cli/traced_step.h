// The step that `kette trace` records: a training or decoding step that can be repeated.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/common.h"
#include "cli/step_source.h"
#include "inspect/steps/step_recorder.h"

namespace kette::cli {

struct TraceOptions {
  CommonOptions common;
  StepSource source;
  bool decode = false, limits = true;
  std::string prompt;
  std::int64_t beam = 5, max_tokens = 16;
  std::int64_t warmup = 3, pairs = 0, depth = 2, rows = 12;
  std::filesystem::path perfetto;
};

struct Subject {
  std::string title;
  std::function<void(Tap* tap)> step;
  std::vector<std::shared_ptr<void>> kept;  ///< the objects that the step uses
};

/// Makes the step. Names its tensors in the recorder.
Subject subject_of(const TraceOptions& options, StepRecorder& recorder);

}  // namespace kette::cli

// What `kette trace` traces: a step of training or of decoding, ready to be done again and again.
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
  std::vector<std::shared_ptr<void>> kept;  ///< what it works on
};

/// The recorder is told the names of what the step works on.
Subject subject_of(const TraceOptions& options, StepRecorder& recorder);

}  // namespace kette::cli

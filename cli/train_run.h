// A run of whatever task, as a command line or a file of settings asks for it.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "train/trainer.h"

namespace kette::cli {

struct TrainRun {
  std::shared_ptr<TrainOptions> options;  ///< what all tasks are told
  std::function<RunFingerprint()> fingerprint;
  std::function<TrainResult()> start;

  /// By fingerprint_of() and train() of the task's options.
  template <class Options>
  static TrainRun of(Options options) {
    const auto shared = std::make_shared<Options>(std::move(options));
    return {shared, [shared] { return fingerprint_of(*shared); },
            [shared] { return train(*shared); }};
  }
};

}  // namespace kette::cli

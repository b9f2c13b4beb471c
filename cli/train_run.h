// A training run of any task, as given by a command line or a file of settings.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "train/trainer.h"

namespace kette::cli {

struct TrainRun {
  std::shared_ptr<TrainOptions> options;  ///< the options of all tasks
  std::function<RunFingerprint()> fingerprint;
  std::function<TrainResult()> start;

  /// Uses fingerprint_of() and train() of the task's options.
  template <class Options>
  static TrainRun of(Options options) {
    const auto shared = std::make_shared<Options>(std::move(options));
    return {shared, [shared] { return fingerprint_of(*shared); },
            [shared] { return train(*shared); }};
  }
};

}  // namespace kette::cli

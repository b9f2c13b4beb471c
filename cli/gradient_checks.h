// The checks of `kette gradcheck`: ops on their samples, or models parameter by parameter.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "autograd/op_library.h"
#include "cli/common.h"
#include "inspect/steps/gradient_report.h"

namespace kette::cli {

struct GradcheckOptions {
  CommonOptions common;
  std::vector<std::string> ops;
  std::string model, preset;
  std::filesystem::path library;
  bool list = false, fast = false, f32 = false;
  std::int64_t order = 1, repeat = 1;
  GradientCheckOptions check;

  /// Calls once(options) for each repetition, with its own seed.
  template <class Check>
  void for_draws(const Check& once) const {
    for (std::int64_t i = 0; i < repeat; ++i) {
      GradientCheckOptions draw = check;
      draw.seed += static_cast<std::uint64_t>(i);
      once(draw);
    }
  }
};

/// Collects checks and prints each at once.
struct Checks {
  std::vector<CheckedGradient> all;
  bool has_failed = false;

  void add(const std::string& name, std::int64_t samples, const GradientCheck& check);
};

/// The ops of Kette or of a library.
std::vector<OpInfo> chosen_ops(const GradcheckOptions& options);
/// Checks ops or a model. A small model is checked completely, in all its variants. For a preset, a few elements of
/// each parameter are checked, which takes a minute instead of a week.
Checks checked_gradients(const GradcheckOptions& options);

}  // namespace kette::cli

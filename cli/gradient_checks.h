// What `kette gradcheck` checks: ops on their samples, or models parameter by parameter.
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

  /// What is done for each of the draws.
  template <class Check>
  void for_draws(const Check& once) const {
    for (std::int64_t i = 0; i < repeat; ++i) {
      GradientCheckOptions draw = check;
      draw.seed += static_cast<std::uint64_t>(i);
      once(draw);
    }
  }
};

/// The checks so far; each is printed as it comes.
struct Checks {
  std::vector<CheckedGradient> all;
  bool has_failed = false;

  void add(const std::string& name, std::int64_t samples, const GradientCheck& check);
};

/// Kette's, or a library's.
std::vector<OpInfo> chosen_ops(const GradcheckOptions& options);
/// Of ops, or of a model: a small one whole, in its variants; of a preset a few elements of each parameter, which takes a
/// minute and not a week.
Checks checked_gradients(const GradcheckOptions& options);

}  // namespace kette::cli

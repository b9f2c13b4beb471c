// A file of training runs for `kette sweep`, as TOML. Before the first table stands what all runs share, options of
// `kette train` as in a file for --config, and `seeds`: what each run is trained from, once from each. The table [evaluate]
// has options of `kette evaluate`, or with `gold` of `kette parse`; of several texts each has one, with a name, such as
// ["evaluate test 2017"]. Every other
// table is a run: its name, and what is its own. `against` names the run whose scores a run's are compared with, of itself
// or before the first table of all; without it that is the run before.
//   src = "train.en"
//   seeds = [1, 2, 3]
//   [evaluate]
//   src = "test.en"
//   [base]
//   ["one head"]
//   heads = 1
#pragma once

#include "cli/sweep_evaluation.h"

namespace kette::cli {

/// Beside the folders of the runs.
inline constexpr const char* kSweepTable = "table.md";

struct SweepRun {
  std::string name;
  std::string settings;  ///< for --config: what all share, and its own in the place of that
  std::vector<ConfigEntry> entries;  ///< the same
  std::string own;                   ///< "heads = 1, hidden = 512"
  std::string against;               ///< the name of another run; empty: none
};

struct SweepFile {
  std::vector<SweepEvaluation> evaluations;
  std::vector<std::string> seeds;  ///< for --seed; none: what the runs say
  std::vector<SweepRun> runs;
};

/// Throws UsageError with the name and the line of what makes no sense.
SweepFile read_sweep_file(const std::filesystem::path& path);

}  // namespace kette::cli

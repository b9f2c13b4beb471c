// The TOML file of training runs for `kette sweep`.
//   Before the first table: options of `kette train` that all runs share, as for --config, and `seeds`; each run is
//   trained once from each seed.
//   [evaluate]: options of `kette evaluate`, or of `kette parse` if it has `gold`. For several texts, one table each
//   with a name, such as ["evaluate test 2017"].
//   Every other table is a run, with its name and its own options. `against` names the run to compare with; before the
//   first table it holds for all runs. By default that is the run before.
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

/// The file of the table, beside the folders of the runs.
inline constexpr const char* kSweepTable = "table.md";

struct SweepRun {
  std::string name;
  std::string settings;              ///< for --config: the shared options, overridden by its own
  std::vector<ConfigEntry> entries;  ///< the same
  std::string own;                   ///< "heads = 1, hidden = 512"
  std::string against;               ///< the name of the run to compare with; empty: none
};

struct SweepFile {
  std::vector<SweepEvaluation> evaluations;
  std::vector<std::string> seeds;  ///< for --seed; empty: the runs' own
  std::vector<SweepRun> runs;
};

/// Throws a UsageError with the name and line of what is invalid.
SweepFile read_sweep_file(const std::filesystem::path& path);

}  // namespace kette::cli

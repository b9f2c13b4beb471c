// Evaluates the runs of a sweep: by `kette evaluate` on translations or text, or by `kette parse` on gold trees. Keeps
// the translations and trees, to compare runs sentence by sentence.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "cli/config_file.h"
#include "cli/scoring.h"
#include "data/metrics/parse_score.h"
#include "tensor/device.h"

namespace kette::cli {

/// Throws an Error for the first file of these keys that does not exist.
void check_files(const std::vector<ConfigEntry>& entries, const std::set<std::string>& keys);

struct SweepEvaluation {
  std::string name;                  ///< empty: from the table [evaluate]
  std::string settings;              ///< for --config
  std::vector<ConfigEntry> entries;  ///< the same

  bool is_of_trees() const { return has("gold"); }
  bool is_of_translations() const { return has("src"); }
  /// Its key in the result of a run.
  std::string key() const { return with_name("evaluation"); }
  std::string command() const { return is_of_trees() ? "parse" : "evaluate"; }
  /// The names of the files of settings and of output in a run's folder; empty: no output is kept.
  std::string settings_file() const { return title() + ".toml"; }
  std::string output_file() const;
  /// The table's name: "evaluate" or "evaluate test 2017".
  std::string title() const { return with_name("evaluate"); }
  /// Throws a UsageError unless the command accepts these settings on that device, and an Error if a file does not
  /// exist.
  void check(const Device& device) const;
  /// Adds fingerprints of the files to the settings, as comments. So changed files make a model be scored again.
  void add_fingerprints();

 private:
  bool has(const std::string& key) const;
  std::string with_name(const std::string& word) const {
    return name.empty() ? word : word + " " + name;
  }
};

/// Scores the output of an evaluation by its references or gold trees.
class SweepScoring {
 public:
  explicit SweepScoring(const SweepEvaluation& evaluation);
  ScoreStatistics score(const std::filesystem::path& output) const;

 private:
  ScoringOptions of_translations_;
  std::vector<TextLines> references_;
  ParseScoreOptions of_trees_;
  Treebank gold_;  // empty for translations
};

}  // namespace kette::cli

// How the runs of a sweep are evaluated: by `kette evaluate` of translations or of text, or by `kette parse` of gold trees.
// Of translations and trees what came out is kept, so that runs can be compared sentence by sentence.
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

/// Throws an Error for the first file that one of these keys names and that is not there.
void check_files(const std::vector<ConfigEntry>& entries, const std::set<std::string>& keys);

struct SweepEvaluation {
  std::string name;                  ///< empty: that of [evaluate]
  std::string settings;              ///< for --config
  std::vector<ConfigEntry> entries;  ///< the same

  bool is_of_trees() const { return has("gold"); }
  bool is_of_translations() const { return has("src"); }
  /// Under which a result of a run has what came of it.
  std::string key() const { return with_name("evaluation"); }
  std::string command() const { return is_of_trees() ? "parse" : "evaluate"; }
  /// The names of files in a run's folder: what the command is told, and what it writes; empty: nothing is kept.
  std::string settings_file() const { return title() + ".toml"; }
  std::string output_file() const;
  /// The table's name: "evaluate" or "evaluate test 2017".
  std::string title() const { return with_name("evaluate"); }
  /// Throws UsageError unless the command would take these settings on that device, and an Error where a file that they name
  /// is not there.
  void check(const Device& device) const;
  /// Adds to the settings, as comments, what those files hold: with another one a model is scored anew.
  void add_fingerprints();

 private:
  bool has(const std::string& key) const;
  std::string with_name(const std::string& word) const {
    return name.empty() ? word : word + " " + name;
  }
};

/// What an evaluation's output is scored against, and how.
class SweepScoring {
 public:
  explicit SweepScoring(const SweepEvaluation& evaluation);
  ScoreStatistics score(const std::filesystem::path& output) const;

 private:
  ScoringOptions of_translations_;
  std::vector<TextLines> references_;
  ParseScoreOptions of_trees_;
  Treebank gold_;  // without trees: it is of translations
};

}  // namespace kette::cli

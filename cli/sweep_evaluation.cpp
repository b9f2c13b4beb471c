#include "cli/sweep_evaluation.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/arguments.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/parse_scoring.h"
#include "data/files/file_fingerprint.h"

namespace kette::cli {
namespace {

const std::set<std::string> kFiles = {"src",     "ref",        "text",     "gold",
                                      "against", "parameters", "spm-model"};

}  // namespace

bool SweepEvaluation::has(const std::string& key) const {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const ConfigEntry& entry) { return entry.key == key; });
}

std::string SweepEvaluation::output_file() const {
  if (is_of_trees()) return with_name("trees") + ".mrg";
  return is_of_translations() ? with_name("translations") + ".txt" : "";
}

void check_files(const std::vector<ConfigEntry>& entries, const std::set<std::string>& keys) {
  for (const ConfigEntry& entry : entries) {
    if (!keys.contains(entry.key)) continue;
    for (const std::string& file : entry.values) {
      KETTE_CHECK(std::filesystem::exists(file), entry.origin, ": ", entry.key,
                  ": expected a file, given ", file, ", which is not there");
    }
  }
}

void SweepEvaluation::check(const Device& device) const {
  CLI::App program("", "kette");
  CLI::App& called = add_command(program, command(), "");
  (is_of_trees() ? parse_command : evaluate_command).add_options(called);
  when_run(called, [] {});  // whether it would take them is all
  PreparedArguments words = arguments_of(called, entries);
  words.arguments.insert(words.arguments.begin(),
                         {command(), "--model=none", "--device=" + device.str()});
  parse(program, std::move(words));
  check_files(entries, kFiles);
}

void SweepEvaluation::add_fingerprints() {
  for (const ConfigEntry& entry : entries) {
    if (!kFiles.contains(entry.key)) continue;
    for (const std::string& file : entry.values) {
      if (!std::filesystem::is_regular_file(file)) continue;  // another model, to be compared with
      settings += "# " + entry.key + ": " + file_fingerprint(file) + "\n";
    }
  }
}

SweepScoring::SweepScoring(const SweepEvaluation& evaluation) {
  CLI::App program;
  of_translations_.add_to(program);
  OptionGroup trees(program, "Trees");
  add_parse_scoring_options(trees, of_trees_);
  std::vector<std::string> words;
  for (const ConfigEntry& entry : evaluation.entries) {
    for (const std::string& value : entry.values) {
      if (program.get_option_no_throw("--" + entry.key) != nullptr) {
        words.push_back("--" + entry.key + "=" + value);
      }
      if (entry.key == "ref") references_.push_back(read_lines(value, kWholeText));
      if (entry.key == "gold") gold_ = read_trees(value, kWholeText);
    }
  }
  program.parse(std::move(words));
}

ScoreStatistics SweepScoring::score(const std::filesystem::path& output) const {
  if (!gold_.trees.empty())
    return parse_statistics(gold_, read_trees_beside(gold_, output, kWholeText), of_trees_);
  const TextLines lines = read_lines(output, kWholeText);
  std::vector<ScoreLines> views;
  for (const TextLines& reference : references_) views.push_back(reference.views());
  return {of_translations_.metric(), lines.views(), views};
}

}  // namespace kette::cli

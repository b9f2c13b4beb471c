// Experiments that repeat findings of papers, for `kette lab`. Each trains or loads a model, measures what a paper
// claims, and reports the paper's value, the value here, and whether the claim holds.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "inspect/page/page.h"
#include "inspect/report/report.h"
#include "tensor/device.h"

namespace kette {

struct Finding {
  std::string claim;
  std::string paper;  ///< the paper's value
  std::string here;   ///< the value measured
  bool holds = false;
};

struct ExperimentOptions {
  Device device;
  std::uint64_t seed = 1;
  std::int64_t seeds = 3;  ///< the number of repetitions, with seeds from `seed` on
  bool quick = false;      ///< takes seconds, to see that it works; its findings prove nothing
  std::filesystem::path model, source, target, text;  ///< for experiments on a trained model
  std::string language;                               ///< that a model of several translates to
};

struct ExperimentReport {
  std::vector<Finding> findings;
  Report numbers{};  ///< all measurements, as facts
  /// Sections of the page: heading and HTML.
  std::vector<std::pair<std::string, std::string>> sections;

  bool holds() const {
    return std::all_of(findings.begin(), findings.end(),
                       [](const Finding& finding) { return finding.holds; });
  }
};

/// Gets the current activity and the share of the work that is done, 0 to 1.
using ExperimentProgress = std::function<void(const std::string& what, double share)>;

/// page: draws the charts of the report's sections.
using RunExperiment = ExperimentReport(const ExperimentOptions& options,
                                       const ExperimentProgress& progress, Page& page);

struct Experiment {
  std::string name;
  std::string what;                ///< one line of help
  std::string paper;               ///< authors, year, title
  std::vector<std::string> reads;  ///< its input options, of --model, --src, --tgt, --text and --to
  RunExperiment* run;
};

/// All of them (experiments.cpp).
const std::vector<Experiment>& experiments();

/// The findings of an experiment. page: has the charts of its sections.
Report to_report(const Experiment& experiment, const ExperimentReport& found, bool quick,
                 const Page& page);
Report list_of_experiments();

/// The names of the experiments that read an input: "lens, align".
std::string readers_of(const std::string& input);

}  // namespace kette

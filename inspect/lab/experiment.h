// Experiments of the literature, each a command: it trains or loads a model, measures what a paper says, and puts
// "paper, here, holds" side by side. For `kette lab`.
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

/// One statement of a paper, and what came out here.
struct Finding {
  std::string claim;
  std::string paper;  ///< what the paper has
  std::string here;   ///< what was measured
  bool holds = false;
};

struct ExperimentOptions {
  Device device;
  std::uint64_t seed = 1;
  std::int64_t seeds = 3;  ///< how many, from `seed` on, where an experiment repeats itself
  bool quick = false;      ///< seconds, to see that it works; what it finds then proves nothing
  std::filesystem::path model, source, target, text;  ///< for those that look into a trained model
};

struct ExperimentReport {
  std::vector<Finding> findings;
  Report numbers{};  ///< all that was measured, as facts
  /// Of the page: heading and HTML.
  std::vector<std::pair<std::string, std::string>> sections;

  bool holds() const {
    return std::all_of(findings.begin(), findings.end(),
                       [](const Finding& finding) { return finding.holds; });
  }
};

/// Told what is being done and which share of all is done, 0 to 1.
using ExperimentProgress = std::function<void(const std::string& what, double share)>;

/// page: draws the charts of the report's sections.
using RunExperiment = ExperimentReport(const ExperimentOptions& options,
                                       const ExperimentProgress& progress, Page& page);

struct Experiment {
  std::string name;
  std::string what;   ///< one line of help
  std::string paper;  ///< authors, year, title
  std::vector<std::string>
      reads;  ///< the options of its inputs: of --model, --src, --tgt and --text
  RunExperiment* run;
};

/// All of them (experiments.cpp).
const std::vector<Experiment>& experiments();

/// What an experiment found: each claim beside what the paper has. page: with the charts of its sections.
Report to_report(const Experiment& experiment, const ExperimentReport& found, bool quick,
                 const Page& page);
/// All experiments.
Report list_of_experiments();

/// The names of those that read an input: "lens, align".
std::string readers_of(const std::string& input);

}  // namespace kette

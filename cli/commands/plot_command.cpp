// `kette plot`: shows the logs of training runs as a table and as a page of curves.
#include <memory>
#include <set>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/host.h"
#include "cli/run_page.h"
#include "cli/show.h"
#include "data/files/atomic_file.h"
#include "data/files/visible_text.h"
#include "tensor/suggestion.h"

namespace kette::cli {
namespace {

namespace fs = std::filesystem;

struct PlotOptions {
  CommonOptions common;
  std::vector<std::string> folders;
  std::string csv;
};

/// The last part of each path, or the whole of it where two have the same.
std::vector<std::string> names_of(const std::vector<std::string>& folders) {
  std::vector<std::string> names;
  std::multiset<std::string> all;
  for (const std::string& folder : folders) {
    names.push_back(name_of_folder(folder));
    all.insert(names.back());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (all.count(names[i]) > 1) names[i] = folders[i];
  }
  return names;
}

void run(const PlotOptions& o) {
  use_threads(o.common);
  check_replaces("--csv", o.csv, "an earlier CSV of kette plot", {kCsvColumns});
  std::set<fs::path> places;
  for (const std::string& folder : o.folders) {
    if (places.insert(fs::weakly_canonical(fs::path(folder) / "log.jsonl")).second) continue;
    throw UsageError("expected each run once, given " + folder + " again");
  }
  const std::vector<std::string> names = names_of(o.folders);
  std::vector<PlottedRun> runs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    runs.push_back(read_run(o.folders[i], names[i]));
    for (const StepSeries* series : {&runs.back().log, &runs.back().record}) {
      if (series->skipped() == 0) continue;
      to_stderr() << visible(series->file().string()) << ": " << series->skipped()
                  << " lines left out, which are no objects with a step\n";
    }
  }
  if (!o.csv.empty()) write_file_atomically(o.csv, to_csv(runs));
  Report report = to_report(runs);
  report.title = joined(names);
  report.about = "Made by kette plot.";
  show(report, o.common);
}

void add_plot_options(CLI::App& command) {
  auto options = std::make_shared<PlotOptions>();
  OptionGroup group(command, "Plot");
  group.list("RUN", options->folders, "Folders that kette train made, one or more", "").required();
  group
      .text(
          "--csv", options->csv,
          "Where all numbers of the logs go, as CSV with the columns run, step, name, value: a row for each, as read.csv() of R and pandas read it",
          "FILE")
      .writes();
  add_page_option(group, options->common);
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command plot_command = {"plot", "Show how training runs went, in tables and curves",
                              add_plot_options};

}  // namespace kette::cli

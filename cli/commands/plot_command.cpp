// `kette plot`: what training runs noted, as a table and as a page of curves.
#include <cmath>
#include <iostream>
#include <memory>
#include <set>

#include "cli/columns.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/page_file.h"
#include "cli/run_page.h"
#include "data/files/json_text.h"
#include "data/files/visible_text.h"
#include "tensor/suggestion.h"

namespace kette::cli {
namespace {

namespace fs = std::filesystem;

struct PlotOptions {
  CommonOptions common;
  std::vector<std::string> folders;
  fs::path out;
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

std::string shown(double value, const char* format) {
  if (std::isnan(value)) return "-";
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

void print(const std::vector<PlottedRun>& runs) {
  Columns table;
  table.row({"run", "steps", "epochs", "minutes", "loss", "best valid.", "at step", "last valid.",
             "best score", "at step", "tokens/s"});
  for (const PlottedRun& run : runs) {
    const RunSummary s = summary_of(run.log);
    table.row({run.name, shown(s.steps, "%.0f"), shown(s.epochs + 1, "%.0f"),
               shown(s.seconds / 60, "%.1f"), shown(s.train_loss, "%.4f"),
               shown(s.valid_loss.value, "%.4f"), shown(s.valid_loss.step, "%.0f"),
               shown(s.last_valid_loss, "%.4f"),
               s.score + (s.score.empty() ? "" : " ") + shown(s.valid_score.value, "%.2f"),
               shown(s.valid_score.step, "%.0f"), shown(s.tokens_per_second, "%.0f")});
  }
  table.print();
  if (runs.size() < 2) return;
  Columns settings;
  std::vector<std::string> head = {"setting"};
  for (const PlottedRun& run : runs) head.push_back(run.name);
  settings.row(head);
  const std::vector<DifferingSetting> differing = differing_settings(runs);
  for (const DifferingSetting& setting : differing) {
    std::vector<std::string> cells = {setting.name};
    for (const std::string& value : setting.values) cells.push_back(value.empty() ? "-" : value);
    settings.row(cells);
  }
  std::cout << (differing.empty() ? "\nNo setting differs.\n" : "\nSettings that differ\n");
  if (!differing.empty()) settings.print();
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json to_json(const PlottedRun& run, const std::string& folder) {
  const RunSummary s = summary_of(run.log);
  const auto best = [](const RunSummary::Best& of) {
    return Json{{"value", finite(of.value)}, {"step", finite(of.step)}};
  };
  Json settings = Json::object();
  for (const auto& [name, value] : run.settings) settings[name] = value;
  return {{"name", run.name},
          {"folder", folder},
          {"steps", static_cast<std::int64_t>(s.steps)},
          {"target_tokens", finite(s.target_tokens)},
          {"seconds", finite(s.seconds)},
          {"loss", finite(s.train_loss)},
          {"best_valid_loss", best(s.valid_loss)},
          {"valid_loss", finite(s.last_valid_loss)},
          {"score", s.score},
          {"best_valid_score", best(s.valid_score)},
          {"target_tokens_per_second", finite(s.tokens_per_second)},
          {"recorded_steps", std::ssize(recorded_steps(run.record))},
          {"settings", settings}};
}

void run(const PlotOptions& o) {
  use_threads(o.common);
  if (o.folders.empty()) throw UsageError("expected the folder of a training run, given none");
  std::set<fs::path> places;
  for (const std::string& folder : o.folders) {
    if (places.insert(fs::weakly_canonical(fs::path(folder) / "log.jsonl")).second) continue;
    throw UsageError("expected each run once, given " + folder + " again");
  }
  const std::vector<std::string> names = names_of(o.folders);
  std::vector<PlottedRun> runs;
  Json json = {{"runs", Json::array()}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    runs.push_back(read_run(o.folders[i], names[i]));
    for (const StepSeries* series : {&runs.back().log, &runs.back().record}) {
      if (series->skipped() == 0) continue;
      std::cerr << visible(series->file().string()) << ": " << series->skipped()
                << " lines left out, which are no objects with a step\n";
    }
    json["runs"].push_back(to_json(runs.back(), o.folders[i]));
  }
  print(runs);
  if (!o.out.empty()) {
    const std::string page =
        training_page(runs, joined(names),
                      (runs.size() == 1 ? std::string("A training run")
                                        : std::to_string(runs.size()) + " training runs") +
                          ", step by step. Made by kette plot.");
    write_page(o.out, page, json);
  }
  if (o.common.json) print_json(json);
}

void add_plot_options(CLI::App& command) {
  auto options = std::make_shared<PlotOptions>();
  OptionGroup group(command, "Plot");
  group.list("RUN", options->folders, "Folders that kette train made, one or more", "");
  add_page_option(group, "--out", options->out, "Where the page goes (default: none, only tables)");
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command plot_command = {
    "plot", "Show how training runs went, as tables and as a page of curves", add_plot_options};

}  // namespace kette::cli

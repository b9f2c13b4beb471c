// `kette lab NAME`: repeats an experiment of a paper and compares the findings.
#include <algorithm>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/decoding.h"
#include "cli/shipped_models.h"
#include "cli/show.h"
#include "inspect/lab/experiment.h"
#include "tensor/stopwatch.h"
#include "tensor/suggestion.h"
#include "train/status_line.h"

namespace kette::cli {
namespace {

struct LabOptions {
  CommonOptions common;
  std::string name;
  bool list = false;
  ExperimentOptions experiment;
};

const Experiment& named(const std::string& name) {
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) {
    if (experiment.name == name) return experiment;
    names.push_back(experiment.name);
  }
  throw UsageError("expected the name of an experiment, given " +
                   (name.empty() ? "none" : name + did_you_mean(name, names)) +
                   "; kette lab --list lists them all");
}

/// What an experiment would not look at is refused, lest it be taken for what was measured.
void check_inputs(const Experiment& experiment, const ExperimentOptions& options) {
  for (const auto& [input, is_given] : {std::pair("--model", !options.model.empty()),
                                        {"--src", !options.source.empty()},
                                        {"--tgt", !options.target.empty()},
                                        {"--text", !options.text.empty()},
                                        {"--to", !options.language.empty()}}) {
    const auto& reads = experiment.reads;
    if (!is_given || std::find(reads.begin(), reads.end(), input) != reads.end()) continue;
    throw UsageError(std::string(input) + ": expected for " + readers_of(input) +
                     ", given for lab " + experiment.name + ", which does not read it");
  }
}

void run(const LabOptions& o) {
  use_threads(o.common);
  if (o.list) return show(list_of_experiments(), o.common);
  const Experiment& experiment = named(o.name);
  check_inputs(experiment, o.experiment);
  const Stopwatch watch;
  Page page(experiment.what, "", "Made by kette lab " + experiment.name + ".");
  ExperimentReport found;
  {
    StatusLine line(false);
    found = experiment.run(
        o.experiment,
        [&](const std::string& what, double share) { line.show(share, [&] { return what; }); },
        page);
  }
  Report report = to_report(experiment, found, o.experiment.quick, page);
  report.fact("seconds", watch.seconds());
  show(report, o.common);
  if (!found.holds() && !o.experiment.quick) exit_with(1);
}

void add_lab_options(CLI::App& command) {
  auto options = std::make_shared<LabOptions>();
  OptionGroup group(command, "Experiment");
  group.text("NAME", options->name, "Which one", "");
  group.flag("--list", options->list, "List them, and stop");
  add_page_option(group, options->common);
  group.number("--seed", options->experiment.seed, "The first seed");
  group.number("--seeds", options->experiment.seeds, at_least(1),
               "How many, where an experiment repeats itself");
  group.flag("--quick", options->experiment.quick, "Seconds, to see that it works");
  add_device_option(group, options->experiment.device);
  OptionGroup inputs(command, "For those that look into a trained model");
  inputs.path("--model", options->experiment.model, "The model directory", "DIR")
      .changed_by(model_folder);
  inputs.path("--src", options->experiment.source, "Sentences");
  inputs.path("--tgt", options->experiment.target, "Their translations");
  inputs.path("--text", options->experiment.text, "Text for a language model");
  add_language_option(inputs, options->experiment.language);
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command lab_command = {
    "lab", "Repeat an experiment of a paper: its claims, what is measured here, whether they hold",
    add_lab_options};

}  // namespace kette::cli

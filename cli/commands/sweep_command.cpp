// `kette sweep`: trains and scores the runs of a file, each in its own process, one or several at a time. Keeps a table
// of the results up to date. The same command continues after a stop.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/own_process.h"
#include "cli/sweep.h"

namespace kette::cli {
namespace {

void add_sweep_options(CLI::App& command) {
  auto options = std::make_shared<SweepOptions>();
  OptionGroup group(command, "Sweep");
  group
      .path("FILE", options->file,
            "What all runs share, [evaluate], and a table for each run with what is its own")
      .required();
  group.path("--out", options->folder, "Where models, results and table.md go", "DIR")
      .writes()
      .required();
  add_device_option(group, options->device);
  group.number(
      "--jobs", options->jobs, {1, true, InterruptRelay::kMostChildren + 1},
      "Runs at a time, which share --threads: small models learn quicker beside each other than with more threads each");
  add_common_options(command, options->common);
  when_run(command, [options] { sweep(*options); });
}

}  // namespace

const Command sweep_command = {
    "sweep", "Train and score the runs of a file, and make a table of them", add_sweep_options};

}  // namespace kette::cli

// `kette merge`: merges adapters into their model.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/host.h"
#include "cli/shipped_models.h"
#include "cli/show.h"
#include "data/files/visible_text.h"
#include "models/adapter_directory.h"

namespace kette::cli {
namespace {

struct MergeOptions {
  CommonOptions common;
  std::filesystem::path model, base, out;
};

void run(const MergeOptions& o) {
  use_threads(o.common);
  merge_adapters(o.model, o.out, o.base);
  to_stdout() << visible(o.out.string()) << ": " << visible(o.model.string())
              << " merged into its base\n";
  show(Report::of_facts({{"out", o.out.string()}, {"model", o.model.string()}}), o.common);
}

void add_merge_options(CLI::App& command) {
  auto options = std::make_shared<MergeOptions>();
  OptionGroup group(command, "Model");
  group.path("--model", options->model, "The model directory with the adapters", "DIR")
      .changed_by(model_folder)
      .required();
  group.path("--base", options->base, "The model they sit on, if it is not where it was", "DIR")
      .changed_by(model_folder);
  group.path("--out", options->out, "The model directory to write", "DIR").writes().required();
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command merge_command = {"merge", "Merge low-rank adapters into the model they sit on",
                               add_merge_options};

}  // namespace kette::cli

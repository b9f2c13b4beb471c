// `kette average`: writes the mean of checkpoints as a parameter file.
#include <map>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/host.h"
#include "cli/sentences.h"
#include "cli/shipped_models.h"
#include "cli/show.h"
#include "data/files/safetensors.h"
#include "data/files/visible_text.h"
#include "models/average.h"

namespace kette::cli {
namespace {

struct AverageOptions {
  CommonOptions common;
  std::vector<std::string> files;
  std::filesystem::path model, out;
  std::int64_t last = 0;
  bool any_run = false;
};

std::vector<std::filesystem::path> chosen_files(const AverageOptions& o) {
  if (o.model.empty() != !o.files.empty())
    throw UsageError("average: expected FILES or --model DIR --last N, given both or neither");
  if (o.model.empty()) return {o.files.begin(), o.files.end()};
  if (o.last == 0) throw UsageError("--model: expected --last N beside it, given none");
  std::vector<std::filesystem::path> files = list_checkpoints(o.model);
  KETTE_CHECK(static_cast<std::int64_t>(files.size()) >= o.last, o.model.string(),
              ": expected at least ", o.last, " checkpoints in its folder checkpoints, given ",
              files.size());
  files.erase(files.begin(), files.end() - o.last);
  return files;
}

/// Names and shapes.
std::map<std::string, Shape> tensors_of(const std::filesystem::path& file) {
  const SafetensorsFile stored = SafetensorsFile::open(file);
  std::map<std::string, Shape> tensors;
  for (const std::string& name : stored.names()) tensors.emplace(name, stored.shape(name));
  return tensors;
}

void run(const AverageOptions& o) {
  use_threads(o.common);
  const std::vector<std::filesystem::path> files = chosen_files(o);
  const std::map<std::string, Shape> tensors = tensors_of(files.front());
  check_replaces("--out", o.out, "an earlier mean of such a model", [&] {
    KETTE_CHECK(is_average(o.out) && tensors_of(o.out) == tensors,
                "expected a mean of the same tensors, given another file");
  });
  check_output(o.out, files);
  average_checkpoints(files, o.out, o.any_run);
  to_stdout() << visible(o.out.string()) << ": the mean of " << files.size() << " checkpoints\n";
  std::vector<std::string> names;
  for (const auto& file : files) {
    to_stdout() << "  " << visible(file.string()) << "\n";
    names.push_back(file.string());
  }
  show(Report::of_facts({{"out", o.out.string()}, {"averaged", names}}), o.common);
}

void add_average_options(CLI::App& command) {
  auto options = std::make_shared<AverageOptions>();
  OptionGroup group(command, "Checkpoints");
  group.list("FILES", options->files, "The checkpoints to average");
  const Option model =
      group.path("--model", options->model, "Or those of this model directory", "DIR")
          .changed_by(model_folder);
  group.number("--last", options->last, at_least(1), "How many of its last ones").needs(model);
  group
      .path("--out", options->out,
            "The file to write; --checkpoint of translate and evaluate reads it")
      .writes()
      .required();
  group.flag("--any-run", options->any_run,
             "Take checkpoints of several runs of one vocabulary, too, but no adapters");
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command average_command = {"average", "Average checkpoints of one training run",
                                 add_average_options};

}  // namespace kette::cli

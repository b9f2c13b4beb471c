// `kette average`: the mean of checkpoints, as another file of parameters.
#include <iostream>
#include <memory>
#include <set>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "data/files/json_text.h"
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

std::set<std::string> tensors_of(const std::filesystem::path& file) {
  const std::vector<std::string> names = SafetensorsFile::open(file).names();
  return {names.begin(), names.end()};
}

bool is_like(const std::filesystem::path& file, const std::filesystem::path& checkpoint) {
  const std::set<std::string> expected = tensors_of(checkpoint);
  try {
    return tensors_of(file) == expected;
  } catch (const Error&) {
    return false;
  }
}

/// Parameters take the place of earlier ones of such a model, and of nothing else.
void check_result(const std::filesystem::path& file, const std::filesystem::path& checkpoint) {
  if (!std::filesystem::exists(file)) return;
  if (!is_like(file, checkpoint)) {
    throw UsageError("--out: expected a new file or earlier parameters, given " + file.string() +
                     ", which holds something else");
  }
}

void run(const AverageOptions& o) {
  use_threads(o.common);
  const std::vector<std::filesystem::path> files = chosen_files(o);
  check_result(o.out, files.front());
  average_checkpoints(files, o.out);
  std::cout << visible(o.out.string()) << ": the mean of " << files.size() << " checkpoints\n";
  Json names = Json::array();
  for (const auto& file : files) {
    std::cout << "  " << visible(file.string()) << "\n";
    names.push_back(file.string());
  }
  if (o.common.json) print_json({{"out", o.out.string()}, {"averaged", names}});
}

}  // namespace

void add_average_command(CLI::App& program) {
  CLI::App& command = add_command(program, "average", "Average checkpoints of one training run");
  auto options = std::make_shared<AverageOptions>();
  OptionGroup group(command, "Checkpoints");
  group.list("FILES", options->files, "The checkpoints to average");
  const Option model =
      group.path("--model", options->model, "Or those of this model directory", "DIR");
  group.number("--last", options->last, at_least(1), "How many of its last ones").needs(model);
  group
      .path("--out", options->out,
            "The file to write; --checkpoint of translate and evaluate reads it")
      .required();
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace kette::cli

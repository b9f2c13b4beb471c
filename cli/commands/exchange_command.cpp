// `kette import` and `kette export`: convert models from and to the format of Hugging Face transformers.
#include <functional>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/host.h"
#include "cli/shipped_models.h"
#include "cli/show.h"
#include "data/files/visible_text.h"
#include "models/exchange/hugging_face.h"

namespace kette::cli {
namespace {

struct ExchangeOptions {
  CommonOptions common;
  std::filesystem::path from, out;
};

using Exchange = ExchangeReport (*)(const std::filesystem::path& from,
                                    const std::filesystem::path& out);

void run(const ExchangeOptions& o, Exchange exchange) {
  use_threads(o.common);
  const auto [summary, notes] = exchange(o.from, o.out);
  to_stderr() << visible(o.from.string()) << ": " << summary << "\n";
  for (const std::string& note : notes) to_stderr() << "kette: " << visible(note) << "\n";
  to_stderr() << o.out.string() << ": written" << std::endl;
  show(Report::of_facts({{"from", o.from.string()},
                         {"out", o.out.string()},
                         {"model", summary},
                         {"notes", notes}}),
       o.common);
}

/// change: of what is given as its place.
void add_exchange(CLI::App& command, const std::string& from, const std::string& from_help,
                  const std::string& out_help, Exchange exchange,
                  const std::function<std::string(std::string)>& change = std::identity()) {
  auto options = std::make_shared<ExchangeOptions>();
  OptionGroup group(command, "Folders");
  group.path(from, options->from, from_help, "DIR").changed_by(change).required();
  group.path("--out", options->out, out_help, "DIR").writes().required();
  add_common_options(command, options->common);
  when_run(command, [options, exchange] { run(*options, exchange); });
}

void add_import_options(CLI::App& command) {
  add_exchange(command, "--from",
               "Its folder, with config.json, model.safetensors and its tokenizer's files",
               "The model directory to make", import_hugging_face);
}

void add_export_options(CLI::App& command) {
  add_exchange(command, "--model", "The model directory", "The folder to make, for from_pretrained",
               export_hugging_face, model_folder);
}

}  // namespace

const Command import_command = {"import",
                                "Make a model directory of a model of Hugging Face's transformers",
                                add_import_options};
const Command export_command = {"export", "Write a model for Hugging Face's transformers",
                                add_export_options};

}  // namespace kette::cli

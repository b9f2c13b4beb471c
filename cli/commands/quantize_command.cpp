// `kette quantize`: writes a model directory with fewer bits per weight, for decoding.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/host.h"
#include "cli/shipped_models.h"
#include "cli/show.h"
#include "data/files/visible_text.h"
#include "models/quantized.h"

namespace kette::cli {
namespace {

struct QuantizeOptions {
  CommonOptions common;
  std::filesystem::path model, checkpoint, out;
  std::string weights = name_of(DType::int8);
};

void run(const QuantizeOptions& o) {
  use_threads(o.common);
  quantize_model(o.model, o.out, o.weights == name_of(DType::int8) ? DType::int8 : DType::bf16,
                 o.checkpoint);
  const std::uintmax_t bytes = std::filesystem::file_size(o.out / kModelFile);
  to_stdout() << visible(o.out.string()) << ": " << visible(o.model.string()) << " in " << o.weights
              << text(", %.1f MiB\n", static_cast<double>(bytes) / (1 << 20));
  show(Report::of_facts({{"out", o.out.string()},
                         {"model", o.model.string()},
                         {"weights", o.weights},
                         {"bytes", bytes}}),
       o.common);
}

void add_quantize_options(CLI::App& command) {
  auto options = std::make_shared<QuantizeOptions>();
  OptionGroup group(command, "Model");
  group.path("--model", options->model, "The model directory", "DIR")
      .changed_by(model_folder)
      .required();
  group.path("--checkpoint", options->checkpoint,
             "Other parameters for it (default: its model.safetensors)");
  group.choice("--weights", options->weights, {name_of(DType::bf16), name_of(DType::int8)},
               "What matrices are rounded to: half the bytes, or a quarter");
  group.path("--out", options->out, "The model directory to write", "DIR").writes().required();
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command quantize_command = {"quantize", "Write a model in fewer bits, to decode with",
                                  add_quantize_options};

}  // namespace kette::cli

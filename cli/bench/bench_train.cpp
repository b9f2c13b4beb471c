// `kette bench train`: real training steps (train/train_step.h) on real or random batches, compared with
// the machine's peak rate of matrix products, measured in the same run.
#include <algorithm>
#include <memory>

#include "cli/architecture.h"
#include "cli/bench/bench_batches.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/device_limits.h"
#include "cli/host.h"
#include "cli/show.h"
#include "models/gpt.h"
#include "models/model_summary.h"
#include "models/transformer.h"
#include "tensor/backend.h"
#include "tensor/machine.h"
#include "tensor/stopwatch.h"
#include "train/train_step.h"

namespace kette::cli {
namespace {

struct BenchTrainOptions {
  CommonOptions common;
  ComputeOptions compute;
  ArchitectureOptions architecture;
  std::int64_t vocabulary = 0;  ///< 0: the preset's
  BenchBatchOptions batches;
  std::filesystem::path write;
  std::int64_t steps = 20, warmup = 5;
};

/// What the timed steps add up to.
struct Measured {
  std::vector<double> rates;  ///< target tokens/s of each step
  double seconds = 0, flops = 0, source_tokens = 0, target_tokens = 0;
  double loss_first = 0, loss_last = 0;
};

Measured measure(const BenchTrainOptions& o, Model& model, const std::vector<Batch>& batches) {
  auto [optimizer_options, step] = recipe_for(model.config());
  const auto optimizer = make_optimizer(model.parameters(), optimizer_options);
  step.seed = o.batches.seed;
  Measured result;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    check_interrupt();
    const Stopwatch watch;
    const StepResult done = train_step(model, *optimizer, std::span(&batches[i], 1), step);
    const double seconds = watch.seconds();
    if (i == 0) result.loss_first = done.loss;
    result.loss_last = done.loss;
    if (static_cast<std::int64_t>(i) < o.warmup) continue;
    result.rates.push_back(static_cast<double>(done.target_tokens) / seconds);
    result.seconds += seconds;
    result.source_tokens += static_cast<double>(done.source_tokens);
    result.target_tokens += static_cast<double>(done.target_tokens);
    result.flops +=
        training_flops(model.config(), batches[i].source_segments, batches[i].target_segments);
  }
  return result;
}

/// The batches, measured on a new model of the preset.
Measured measure(const BenchTrainOptions& o, std::int64_t count, std::int64_t& parameters) {
  const std::unique_ptr<ModelConfig> config = o.architecture.config();
  if (o.vocabulary > 0) config->vocabulary = o.vocabulary;
  if (!o.architecture.is<GptConfig>() && !o.architecture.is<TransformerConfig>()) {
    throw UsageError("--preset: expected a model that writes text, given " +
                     o.architecture.preset());
  }
  const std::vector<Batch> batches = batches_for(*config, o.batches, count);
  if (!o.write.empty()) write_batches(o.write, batches);
  const std::unique_ptr<Model> model = config->make_model();
  model->materialize(o.batches.seed, o.compute.dtype(), o.compute.device);
  parameters = model->parameters().elements();
  return measure(o, *model, batches);
}

void run(BenchTrainOptions& o) {
  const int threads = use_threads(o.common);
  o.compute.apply();
  o.architecture.check();
  if (o.batches.source.empty() != o.batches.target.empty()) {
    throw UsageError("--src, --tgt: expected both or neither, given one");
  }
  const bool has_pairs = !o.batches.source.empty() || !o.batches.read.empty() || !o.write.empty();
  if (has_pairs && !o.architecture.is<TransformerConfig>()) {
    throw UsageError(
        "--src, --batches, --write-batches: expected a preset of a translation model beside them, given " +
        o.architecture.preset());
  }
  check_replaces("--write-batches", o.write, "earlier batches", {"{\"source\":"});
  const std::int64_t count = o.warmup + o.steps;
  // On a GPU only afterwards: its operands would count as the peak of memory.
  const bool on_host = o.compute.device.is_host();
  const double limit_before = on_host ? measure_product_gflops(o.compute, threads) : 0;
  std::int64_t parameters = 0;
  const Measured measured = measure(o, count, parameters);
  const double peak = peak_rss_mib();
  const double peak_tensors =
      static_cast<double>(backend(o.compute.device).memory().peak_bytes) / (1 << 20);
  // The better of two moments, for on a shared machine the limit moves, too.
  const double limit = std::max(limit_before, measure_product_gflops(o.compute, threads)),
               gflops = measured.flops / measured.seconds / 1e9;
  const Report report = Report::of_facts(
      {{"preset", o.architecture.preset()},
       {"device", o.compute.device.str()},
       {"precision", o.compute.computed_in()},
       {"threads", threads},
       {"steps", o.steps},
       {"parameters", parameters},
       {"target_tokens_per_second", median(measured.rates)},
       {"target_tokens_per_second_overall", measured.target_tokens / measured.seconds},
       {"source_tokens_per_second", measured.source_tokens / measured.seconds},
       {"target_tokens_per_step", measured.target_tokens / static_cast<double>(o.steps)},
       {"gflops", gflops},
       {"sgemm_gflops", limit},
       {"sgemm_share", gflops / limit},
       {"peak_rss_mib", peak},
       {"peak_tensor_mib", peak_tensors},
       {"loss_first", measured.loss_first},
       {"loss_last", measured.loss_last},
       {"blas_core", blas_core()}});
  print_lines(report);
  show(report, o.common);
}

void add_bench_train_options(CLI::App& command) {
  auto options = std::make_shared<BenchTrainOptions>();
  OptionGroup model(command, "Model");
  options->architecture.add_preset_option(model, all_presets(), "Its size");
  model.number("--vocab", options->vocabulary, at_least(SpecialTokens{}.end + 2),
               "Rows of its vocabulary (default: the preset's; base and big: 37000)");
  options->architecture.add_field_options(command);
  add_compute_options(model, options->compute);
  OptionGroup data(command, "Batches (default: random sentences)");
  const Option source = data.path("--src", options->batches.source, "Source sentences");
  data.path("--tgt", options->batches.target, "Their translations");
  const Option tokenizer = data.path("--tokenizer", options->batches.tokenizer,
                                     "A SentencePiece model (default: train one on the files)")
                               .needs(source);
  data.number("--pieces", options->batches.pieces, at_least(1), "Its pieces when it is trained")
      .needs(source)
      .excludes(tokenizer);
  data.number("--tokens", options->batches.tokens, at_least(1),
              "Tokens of a batch, of the larger side");
  add_ids_option(data, options->batches.ids);
  data.number("--seed", options->batches.seed, "Of batches, initial values and dropout");
  data.path("--batches", options->batches.read, "Take the batches of this file").excludes(source);
  data.path("--write-batches", options->write,
            "Write the batches to this file, for another program")
      .writes();
  OptionGroup measuring(command, "Measuring");
  measuring.number("--steps", options->steps, at_least(1), "Timed steps");
  measuring.number("--warmup", options->warmup, at_least(0), "Steps before them");
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command bench_train_command = {"train", "Training steps", add_bench_train_options};

}  // namespace kette::cli

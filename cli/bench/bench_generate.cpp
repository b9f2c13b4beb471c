// `kette bench generate`: tokens per second of a random model, compared with the memory limit, which is to
// read all weights once per token. On a GPU the limit is the speed of copies.
#include <iostream>
#include <memory>

#include "cli/architecture.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/device_limits.h"
#include "cli/host.h"
#include "cli/show.h"
#include "decode/generator.h"
#include "models/gpt.h"
#include "tensor/machine.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

struct BenchGenerateOptions {
  CommonOptions common;
  ArchitectureOptions architecture;
  Device device;
  std::optional<DType> weights;
  DType cache = DType::f32;
  std::int64_t prompt = 16, tokens = 64, texts = 1, runs = 5;
  std::uint64_t seed = 1;
};

double seconds_of(const std::function<void()>& work) {
  const Stopwatch watch;
  work();
  return watch.seconds();
}

void run(BenchGenerateOptions& o) {
  const int threads = use_threads(o.common);
  const DType weight_type = o.weights.value_or(DType::f32);
  o.architecture.check();
  const GptConfig config = o.architecture.as<GptConfig>();
  KETTE_CHECK(o.prompt + o.tokens <= config.context, "bench: expected at most ", config.context,
              " tokens of prompt and text together, given ", o.prompt + o.tokens);
  Gpt model(config);
  model.materialize(o.seed, DType::f32, o.device, Gradients::none);
  const auto ready = model.for_decoding({weight_type, o.cache});
  Random random(o.seed, 7);
  std::vector<std::int32_t> prompt;
  for (std::int64_t i = 0; i < o.prompt; ++i) {
    prompt.push_back(static_cast<std::int32_t>(random.below(config.vocabulary)));
  }
  GenerateOptions options;
  options.temperature = 0;
  options.texts = o.texts;
  const auto generate_tokens = [&](std::int64_t tokens) {
    options.max_tokens = tokens;
    return seconds_of([&] { generate(*ready, prompt, options); });
  };
  generate_tokens(4);  // to warm up
  // Of positions, one row is read. As many bytes as the weights are read by.
  const auto weight_bytes = (model.parameters().elements() - config.context * config.width) *
                            static_cast<std::int64_t>(size_of(weight_type));
  const Tensor weights = model.parameters().values().view(
      0, {weight_bytes / static_cast<std::int64_t>(sizeof(float))});
  const auto bytes = static_cast<double>(weights.bytes());
  const bool on_host = o.device.is_host();
  const double copying = on_host ? 0 : measure_copy_gb_per_second(o.device);
  std::vector<double> rates, prompts, reads, shares;
  double all_seconds = 0, of_processors = 0;
  for (std::int64_t i = 0; i < o.runs; ++i) {
    check_interrupt();
    const double reading = on_host ? seconds_to_read(weights) : bytes / copying / 1e9;
    const double before = processor_seconds();
    const double first = generate_tokens(1);  // the prompt and one token
    const double all = generate_tokens(o.tokens + 1);
    of_processors += processor_seconds() - before;
    all_seconds += first + all;
    const double a_token = (all - first) / static_cast<double>(o.tokens);
    prompts.push_back(static_cast<double>(o.prompt * o.texts) / first);
    rates.push_back(static_cast<double>(o.texts) / a_token);
    reads.push_back(bytes / reading / 1e9);
    shares.push_back(reading / a_token);
  }
  Report report = Report::of_facts({{"preset", o.architecture.preset()},
                                    {"device", o.device.str()},
                                    {"weights", name_of(weight_type)},
                                    {"cache", name_of(o.cache)},
                                    {"threads", threads},
                                    {"texts", o.texts},
                                    {"tokens_per_second", median(rates)},
                                    {"prompt_tokens_per_second", median(prompts)},
                                    {"processor_share", of_processors / all_seconds / threads},
                                    {"weight_mib", bytes / (1 << 20)},
                                    {"peak_rss_mib", peak_rss_mib()}});
  if (on_host) {
    report.fact("read_gb_per_second", median(reads));
    report.fact("read_share", median(shares));
  } else {
    report.fact("copy_gb_per_second", copying);
    report.fact("copy_share", median(shares));
  }
  print_lines(report);
  show(report, o.common);
}

void add_bench_generate_options(CLI::App& command) {
  auto options = std::make_shared<BenchGenerateOptions>();
  options->architecture.apply_preset("gpt2");
  OptionGroup model(command, "Model");
  options->architecture.add_preset_option(model, gpt_family().presets, "Its size");
  add_device_option(model, options->device);
  add_weights_option(model, options->weights, name_of(DType::f32));
  add_cache_option(model, options->cache);
  options->architecture.add_field_options(command);
  OptionGroup measuring(command, "Measuring");
  measuring.number("--prompt", options->prompt, at_least(1), "Tokens of the prompt");
  measuring.number("--tokens", options->tokens, at_least(1), "Tokens timed in each run");
  measuring.number("--num", options->texts, at_least(1), "Texts at once");
  measuring.number("--runs", options->runs, at_least(1), "Runs; the median counts");
  measuring.number("--seed", options->seed, "Of the weights and the prompt");
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command bench_generate_command = {"generate", "Text of a language model, token by token",
                                        add_bench_generate_options};

}  // namespace kette::cli

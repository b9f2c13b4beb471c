// `kette trace`: one step of training or of decoding, slice by slice, as tables, as a page and as a file for
// Perfetto: where the time goes, how near that is to the machine's limits, and what holds the memory.
#include <iostream>
#include <memory>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/decoding.h"
#include "cli/device_limits.h"
#include "cli/page_file.h"
#include "cli/step_source.h"
#include "data/files/atomic_file.h"
#include "data/files/json_text.h"
#include "decode/generator.h"
#include "decode/translator.h"
#include "inspect/steps/step_recorder.h"
#include "inspect/steps/trace_json.h"
#include "inspect/steps/trace_page.h"
#include "models/model_directory.h"
#include "tensor/backend.h"
#include "tensor/machine.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

struct TraceOptions {
  CommonOptions common;
  StepSource source;
  bool decode = false, limits = true;
  std::string prompt;
  std::int64_t beam = 5, max_tokens = 16;
  std::int64_t warmup = 3, pairs = 0, depth = 2, rows = 12;
  std::filesystem::path out, perfetto;
};

/// What is traced, ready to be done again and again.
struct Subject {
  std::string title;
  std::function<void(Tap* tap)> step;
  std::vector<std::shared_ptr<void>> kept;  ///< what it works on
};

Subject training(const TraceOptions& o, StepRecorder& recorder) {
  const auto config = o.source.config();
  const auto batches = std::make_shared<std::vector<Batch>>(o.source.make_batches(*config, 1));
  const std::shared_ptr<Model> model = o.source.make_model(*config, o.source.compute.dtype());
  const BenchRecipe recipe = recipe_for(*config);
  const std::shared_ptr<Optimizer> optimizer =
      make_optimizer(model->parameters(), recipe.optimizer);
  recorder.name(*optimizer);
  StepOptions options = recipe.step;
  options.seed = o.source.batches.seed;
  return {"a training step of " + o.source.name(),
          [=](Tap* tap) {
            StepOptions tapped = options;
            tapped.tap = tap;
            train_step(*model, *optimizer, *batches, tapped);
          },
          {model, optimizer, batches}};
}

/// The ids of the prompt, or random ones.
std::vector<std::int32_t> ids_to_decode(const TraceOptions& o, const ModelConfig& config) {
  constexpr std::int64_t kRandom = 12;
  if (!o.prompt.empty()) {
    if (o.source.folder.empty()) {
      throw UsageError("--prompt: expected --model beside it, given none");
    }
    return load_tokenizer_of(o.source.folder, config)->encode_source(o.prompt, o.source.language);
  }
  const BenchIds bench_ids(o.source.batches.ids, SpecialTokens{}.end + 1, config.vocabulary);
  Random random(o.source.batches.seed, 1);
  std::vector<std::int32_t> ids(kRandom);
  for (auto& id : ids) id = bench_ids.draw(random);
  return ids;
}

Subject decoding(const TraceOptions& o, StepRecorder& recorder) {
  if (o.source.has_text()) {
    throw UsageError("--decode: expected --prompt beside it, given the text of a training step");
  }
  if (o.source.compute.precision != "f32") {
    throw UsageError("--precision: expected none beside --decode, which computes in f32, given " +
                     o.source.compute.precision);
  }
  const auto config = o.source.config();
  const std::unique_ptr<Model> model = o.source.make_model(*config, DType::f32);
  const auto* writer = dynamic_cast<const AutoregressiveModel*>(model.get());
  if (writer == nullptr) {
    throw UsageError("--decode: expected a model that writes text, given a " +
                     config->family().what);
  }
  const std::shared_ptr<AutoregressiveModel> ready = writer->for_decoding();
  ready->each_linear([&](Linear& map, const auto&) {
    recorder.name(map.prepacked->panels, "prepacked weights");
    recorder.name(map.prepacked->bias, "prepacked weights");
  });
  recorder.name(ready->output().prepacked->panels, "prepacked weights");
  recorder.name(ready->parameters());
  const std::vector<std::int32_t> ids = ids_to_decode(o, *config);
  if (ready->has_encoder()) {
    SearchOptions options;
    options.beam = o.beam;
    if (o.source.folder.empty())
      options.forced_length = o.max_tokens;  // what is random may never end
    options.max_length = o.max_tokens;
    return {"a translation by " + o.source.name(),
            [=](Tap* tap) { translate_ids(*ready, {ids}, options, {.tap = tap}); },
            {ready}};
  }
  GenerateOptions options;
  options.max_tokens = o.max_tokens;
  options.seed = o.source.batches.seed;
  return {std::to_string(o.max_tokens) + " tokens of " + o.source.name(),
          [=](Tap* tap) {
            GenerateOptions tapped = options;
            tapped.tap = tap;
            generate(*ready, ids, tapped);
          },
          {ready}};
}

void print_rows(const char* what, const std::vector<TraceRow>& rows, double total,
                std::int64_t most) {
  std::cout << text("\n%-36s %7s %10s %7s %9s %8s %8s\n", what, "calls", "ms", "share", "GFLOP/s",
                    "GB/s", "of limit");
  TraceRow rest;
  for (const TraceRow& row : rows) {
    if (most-- > 0) {
      std::cout << text("%-36s %7lld %10.3f %6.1f%% %9.1f %8.1f %7.0f%%\n", row.name.c_str(),
                        static_cast<long long>(row.calls), 1e3 * row.seconds,
                        100 * row.seconds / total, row.gflops(), row.gb_per_second(),
                        100 * row.limit_share());
    } else {
      rest.calls += row.calls;
      rest.seconds += row.seconds;
    }
  }
  if (rest.calls == 0) return;
  std::cout << text("%-36s %7lld %10.3f %6.1f%%\n", "the rest", static_cast<long long>(rest.calls),
                    1e3 * rest.seconds, 100 * rest.seconds / total);
}

void print_peak(const StepTrace& trace, std::int64_t most) {
  std::cout << text("\nmemory at its peak, %.1f MiB after %.3f ms %27s %7s\n",
                    static_cast<double>(trace.peak.bytes) / (1 << 20),
                    1e-6 * static_cast<double>(trace.peak.at), "MiB", "blocks");
  MemoryHolder rest;
  const auto print = [](const std::string& name, const MemoryHolder& holder) {
    std::cout << text("%-64s %10.3f %7lld\n", name.c_str(),
                      static_cast<double>(holder.bytes) / (1 << 20),
                      static_cast<long long>(holder.blocks));
  };
  for (const MemoryHolder& holder : trace.at_peak) {
    if (most-- > 0) {
      std::string name = holder.what;
      if (!holder.op.empty()) name += " of " + holder.op;
      if (!holder.scope.empty()) name += ", " + holder.scope;
      print(name, holder);
    } else {
      rest.bytes += holder.bytes;
      rest.blocks += holder.blocks;
    }
  }
  if (rest.blocks > 0) print("the rest", rest);
}

Json json_of(const std::vector<TraceRow>& rows, double total) {
  Json list = Json::array();
  for (const TraceRow& row : rows) {
    list.push_back({{"name", row.name},
                    {"calls", row.calls},
                    {"ms", 1e3 * row.seconds},
                    {"share", row.seconds / total},
                    {"gflops", row.gflops()},
                    {"gb_per_second", row.gb_per_second()},
                    {"limit_share", row.limit_share()}});
  }
  return list;
}

Json json_of(const std::vector<MemoryHolder>& holders) {
  Json list = Json::array();
  for (const MemoryHolder& holder : holders) {
    list.push_back({{"what", holder.what},
                    {"op", holder.op},
                    {"scope", holder.scope},
                    {"bytes", holder.bytes},
                    {"blocks", holder.blocks}});
  }
  return list;
}

/// What a step takes while it is traced over what it takes by itself: the median over pairs of both, one after
/// the other and in turns the first.
double overhead(const TraceOptions& o, const Subject& subject) {
  const Device device = o.source.compute.device;
  const auto seconds_of = [&](const std::function<void()>& work) {
    backend(device).synchronize();
    const Stopwatch watch;
    work();
    backend(device).synchronize();
    return watch.seconds();
  };
  std::vector<double> ratios;
  for (std::int64_t i = 0; i < o.pairs; ++i) {
    double traced = 0, alone = 0;
    for (const bool traces : {i % 2 == 0, i % 2 != 0}) {
      if (traces) {
        StepRecorder recorder(device);
        recorder.record([&] { traced = seconds_of([&] { subject.step(recorder.tap()); }); });
      } else {
        alone = seconds_of([&] { subject.step(nullptr); });
      }
    }
    ratios.push_back(traced / alone);
  }
  return median(ratios) - 1;
}

void run(const TraceOptions& o) {
  const int threads = use_threads(o.common);
  o.source.compute.apply();
  o.source.check(!o.prompt.empty());
  check_replaces("--perfetto", o.perfetto, "an earlier trace", [&] {
    KETTE_CHECK(read_text(o.perfetto).starts_with(kChromeTraceStart),
                "expected a trace, given something else");
  });
  const Device device = o.source.compute.device;
  MachineLimits limits;
  if (o.limits) {
    limits = {measure_product_gflops(o.source.compute, threads),
              measure_stream_gb_per_second(device)};
  }
  std::optional<StepRecorder> recorder(device);
  const Subject subject = o.decode ? decoding(o, *recorder) : training(o, *recorder);
  for (std::int64_t i = 0; i < o.warmup; ++i) subject.step(nullptr);
  const StepTrace trace = recorder->record([&] { subject.step(recorder->tap()); });
  recorder.reset();
  const double seconds = 1e-9 * static_cast<double>(trace.nanoseconds);
  const auto by_op = rows_by_op(trace, limits), by_scope = rows_by_scope(trace, limits, o.depth);
  std::cout << subject.title << " on " << trace.device << text(": %.3f ms", 1e3 * seconds) << "\n";
  if (o.limits) {
    std::cout << text("limits of the machine: %.1f GFLOP/s, %.1f GB/s\n", limits.gflops,
                      limits.gb_per_second);
  }
  print_rows("op", by_op, seconds, o.rows);
  print_rows("scope", by_scope, seconds, o.rows);
  print_peak(trace, o.rows);
  Json json = {{"what", subject.title},
               {"device", trace.device},
               {"precision", o.source.compute.computed_in()},
               {"threads", threads},
               {"ms", 1e3 * seconds},
               {"limit_gflops", limits.gflops},
               {"limit_gb_per_second", limits.gb_per_second},
               {"ops", json_of(by_op, seconds)},
               {"scopes", json_of(by_scope, seconds)},
               {"peak_bytes", trace.peak.bytes},
               {"at_peak", json_of(trace.at_peak)}};
  if (o.pairs > 0) {
    json["overhead"] = overhead(o, subject);
    std::cout << text("\ntracing costs %.2f %% of a step (median of %lld pairs)\n",
                      100 * json["overhead"].get<double>(), static_cast<long long>(o.pairs));
  }
  if (!o.out.empty()) {
    const std::string page =
        trace_page(trace, limits, o.depth, "Where the time goes: " + subject.title,
                   "On " + trace.device + ", in " + o.source.compute.computed_in() +
                       ", threads: " + std::to_string(threads) + ". Made by kette trace.");
    write_page(o.out, page, json);
  }
  if (!o.perfetto.empty()) {
    write_file_atomically(o.perfetto, chrome_trace(trace, subject.title, limits));
    json["perfetto"] = o.perfetto.string();
  }
  if (o.common.json) print_json(json);
}

void add_trace_options(CLI::App& command) {
  auto options = std::make_shared<TraceOptions>();
  add_step_source(command, options->source);
  OptionGroup decoding(command, "Decoding, in the place of training");
  const Option decode =
      decoding.flag("--decode", options->decode, "Translate a sentence, or go on with a text");
  Option prompt = decoding.text("--prompt", options->prompt,
                                "What, for a trained model (default: a few random tokens)");
  prompt.needs(decode);
  decoding.number("--beam", options->beam, at_least(1), "Hypotheses kept, of a translation")
      .needs(decode);
  decoding.number("--max-tokens", options->max_tokens, at_least(1), "Tokens to write")
      .needs(decode);
  OptionGroup tracing(command, "Trace");
  add_page_option(tracing, "--out", options->out,
                  "Where the page goes (default: none, only tables)");
  tracing.path("--perfetto", options->perfetto,
               "Where a file for ui.perfetto.dev and chrome://tracing goes");
  tracing.number("--warmup", options->warmup, at_least(0), "Steps before the one that is traced");
  tracing.number("--depth", options->depth, at_least(0),
                 "Parts of a scope that make a row; 0: all of it");
  tracing.number("--rows", options->rows, at_least(1), "Rows of a table; the rest is one more");
  tracing.flag("--limits,!--no-limits", options->limits,
               "Measure the machine's limits to hold the ops against");
  tracing.number("--pairs", options->pairs, at_least(1),
                 "Also measure what tracing costs, in so many pairs of steps with and without");
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command trace_command = {"trace", "Trace a step: its time and its memory, op by op",
                               add_trace_options};

}  // namespace kette::cli

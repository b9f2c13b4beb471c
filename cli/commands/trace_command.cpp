// `kette trace`: records a training or decoding step, as tables, as a page and as a file for Perfetto. Shows
// where the time goes, compares it with the machine's limits, and shows what holds the memory.
#include <memory>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/device_limits.h"
#include "cli/show.h"
#include "cli/traced_step.h"
#include "data/files/atomic_file.h"
#include "inspect/steps/trace_json.h"
#include "inspect/steps/trace_report.h"
#include "tensor/backend.h"
#include "tensor/machine.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

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
  check_replaces("--perfetto", o.perfetto, "an earlier trace", {kChromeTraceStart});
  const Device device = o.source.compute.device;
  MachineLimits limits;
  if (o.limits) {
    limits = {measure_product_gflops(o.source.compute, threads),
              measure_stream_gb_per_second(device)};
  }
  std::optional<StepRecorder> recorder(device);
  const Subject subject = subject_of(o, *recorder);
  for (std::int64_t i = 0; i < o.warmup; ++i) subject.step(nullptr);
  const StepTrace trace = recorder->record([&] { subject.step(recorder->tap()); });
  recorder.reset();
  Report report = to_report(trace, {.what = subject.title,
                                    .precision = o.source.compute.computed_in(),
                                    .threads = threads,
                                    .limits = limits,
                                    .shows_limits = o.limits,
                                    .parts = o.depth,
                                    .rows = o.rows});
  if (o.pairs > 0) {
    const double cost = overhead(o, subject);
    report.fact("overhead", cost);
    report.line(text("\ntracing costs %.2f %% of a step (median of %lld pairs)\n", 100 * cost,
                     static_cast<long long>(o.pairs)));
  }
  report.page_file();
  if (!o.perfetto.empty()) {
    write_file_atomically(o.perfetto, chrome_trace(trace, subject.title, limits));
    report.fact("perfetto", o.perfetto.string());
  }
  show(report, o.common);
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
  add_page_option(tracing, options->common);
  tracing
      .path("--perfetto", options->perfetto,
            "Where a file for ui.perfetto.dev and chrome://tracing goes")
      .writes();
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

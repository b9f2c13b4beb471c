// `kette bench exchange`: the time for processes to sum gradients and gather the result, compared with the all-reduce
// of their transport engine.
#include <memory>

#include "cli/bench/exchange_rate.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/host.h"
#include "cli/processes.h"
#include "cli/show.h"

namespace kette::cli {
namespace {

struct BenchExchangeOptions {
  CommonOptions common;
  double mebibytes = 250;
  std::int64_t runs = 5;
};

void run(const BenchExchangeOptions& o) {
  use_threads(o.common);
  Communicator& processes = communicator();
  KETTE_CHECK(
      !processes.is_alone(),
      "bench exchange: expected several processes (mpirun -n 2 kette bench exchange), given one");
  const auto bytes = static_cast<std::int64_t>(o.mebibytes * (1 << 20));
  const ExchangeTimes times = measure_exchange(processes, bytes, o.runs);
  const double ours = median(times.ours);
  const int n = processes.processes();
  const double sent = bytes_sent(bytes, n);
  to_stdout() << processes.str() << "\n"
              << text("%.1f MiB: %.4f s, %.2f GB/s sent by each", o.mebibytes, ours,
                      sent / ours / 1e9);
  Report report = Report::of_facts({{"processes", n},
                                    {"bytes", bytes},
                                    {"seconds", ours},
                                    {"seconds_each", times.ours},
                                    {"bytes_sent", sent}});
  if (!times.engine.empty()) {
    const double engine = median(times.engine);
    to_stdout() << text("; the engine's all-reduce %.4f s: %.2f of it", engine, ours / engine);
    report.fact("engine_seconds", engine);
    report.fact("engine_seconds_each", times.engine);
  }
  to_stdout() << "\n";
  show(report, o.common);
}

void add_bench_exchange_options(CLI::App& command) {
  auto options = std::make_shared<BenchExchangeOptions>();
  OptionGroup measuring(command, "Measuring");
  measuring.number("--mebibytes", options->mebibytes, above(0), "Of gradients, in f32");
  measuring.number("--runs", options->runs, at_least(1), "Runs; the median counts");
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command bench_exchange_command = {
    "exchange", "Sums of gradients over processes: mpirun -n 2 kette bench exchange",
    add_bench_exchange_options, true};

}  // namespace kette::cli

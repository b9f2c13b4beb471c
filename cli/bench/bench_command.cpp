// `kette bench`: how fast this machine trains, translates, generates, tokenizes, makes batches, computes each op and
// each matrix product, and exchanges gradients with other processes.
#include "cli/commands/commands.h"
#include "cli/processes.h"

namespace kette::cli {
namespace {

void add_bench_options(CLI::App& bench) {
  require_command(bench);
  for (const Command* one : benches()) {
    CLI::App& command = add_command(bench, one->name, one->help);
    one->add_options(command);
    if (one->is_shared_out) add_process_options(command);
  }
}

}  // namespace

const Command bench_command = {"bench", "Measure speed", add_bench_options};

}  // namespace kette::cli

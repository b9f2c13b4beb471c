// `kette bench`: measures training, translation, generation, tokenizing, making batches, each op, each matrix product,
// and the exchange of gradients between processes.
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

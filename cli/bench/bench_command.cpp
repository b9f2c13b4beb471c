// `kette bench`: how fast this machine trains, translates, generates, tokenizes, makes batches, computes each op and
// each matrix product, and exchanges gradients with other processes.
#include "cli/commands/commands.h"

namespace kette::cli {

void add_bench_options(CLI::App& bench) {
  require_command(bench);
  add_bench_train_command(bench);
  add_bench_translate_command(bench);
  add_bench_generate_command(bench);
  add_bench_tokenize_command(bench);
  add_bench_corpus_command(bench);
  add_bench_ops_command(bench);
  add_bench_products_command(bench);
  add_bench_exchange_command(bench);
}

}  // namespace kette::cli

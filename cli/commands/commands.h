// The commands of `kette` and of `kette bench`, in the order of --help. To add one, write a file with its Command and
// add a line here.
#pragma once

#include <vector>

#include "cli/config_file.h"
#include "cli/options.h"

namespace kette::cli {

struct Command {
  const char *name, *help;
  void (*add_options)(CLI::App& command);
  bool is_shared_out = false;  ///< whether several processes of a launcher can share its work
};

// clang-format off
#define KETTE_COMMANDS(ONE) \
  ONE(train_command) \
  ONE(check_command) \
  ONE(tokenize_command) \
  ONE(split_command) \
  ONE(translate_command) \
  ONE(generate_command) \
  ONE(serve_command) \
  ONE(fill_command) \
  ONE(evaluate_command) \
  ONE(bleu_command) \
  ONE(score_command) \
  ONE(parse_command) \
  ONE(parse_score_command) \
  ONE(average_command) \
  ONE(merge_command) \
  ONE(quantize_command) \
  ONE(lexicon_command) \
  ONE(import_command) \
  ONE(export_command) \
  ONE(explain_command) \
  ONE(plot_command) \
  ONE(sweep_command) \
  ONE(compare_command) \
  ONE(heads_command) \
  ONE(patch_command) \
  ONE(lab_command) \
  ONE(gradcheck_command) \
  ONE(info_command) \
  ONE(trace_command) \
  ONE(tape_command) \
  ONE(bench_command) \
  ONE(help_command) \
  ONE(version_command) \
  ONE(man_command) \
  ONE(completion_command)

#define KETTE_BENCHES(ONE) \
  ONE(bench_train_command) \
  ONE(bench_translate_command) \
  ONE(bench_generate_command) \
  ONE(bench_tokenize_command) \
  ONE(bench_corpus_command) \
  ONE(bench_ops_command) \
  ONE(bench_products_command) \
  ONE(bench_exchange_command)
// clang-format on

#define KETTE_DECLARE(command) \
  extern const Command command;  // NOLINT(bugprone-macro-parentheses): a name
#define KETTE_POINT_TO(command) &(command),
KETTE_COMMANDS(KETTE_DECLARE)
KETTE_BENCHES(KETTE_DECLARE)

inline std::vector<const Command*> commands() { return {KETTE_COMMANDS(KETTE_POINT_TO)}; }
inline std::vector<const Command*> benches() { return {KETTE_BENCHES(KETTE_POINT_TO)}; }

}  // namespace kette::cli

// The commands of `kette`: each one's options, and what it does once they are read.
#pragma once

#include "cli/config_file.h"
#include "cli/options.h"

namespace kette::cli {

void add_train_options(CLI::App& command);
void add_check_options(CLI::App& command);
void add_tokenize_options(CLI::App& command);
void add_split_options(CLI::App& command);
void add_translate_options(CLI::App& command);
void add_generate_options(CLI::App& command);
void add_fill_options(CLI::App& command);
void add_evaluate_options(CLI::App& command);
void add_bleu_options(CLI::App& command);
void add_score_options(CLI::App& command);
void add_parse_options(CLI::App& command);
void add_parse_score_options(CLI::App& command);
void add_explain_options(CLI::App& command);
void add_plot_options(CLI::App& command);
void add_sweep_options(CLI::App& command);
void add_compare_options(CLI::App& command);
void add_heads_options(CLI::App& command);
void add_patch_options(CLI::App& command);
void add_lab_options(CLI::App& command);
void add_average_options(CLI::App& command);
void add_merge_options(CLI::App& command);
void add_quantize_options(CLI::App& command);
void add_lexicon_options(CLI::App& command);
void add_import_options(CLI::App& command);
void add_export_options(CLI::App& command);
void add_gradcheck_options(CLI::App& command);
void add_info_options(CLI::App& command);
void add_trace_options(CLI::App& command);
void add_tape_options(CLI::App& command);
void add_bench_options(CLI::App& bench);

// What `kette bench` measures.
void add_bench_train_command(CLI::App& bench);
void add_bench_translate_command(CLI::App& bench);
void add_bench_generate_command(CLI::App& bench);
void add_bench_tokenize_command(CLI::App& bench);
void add_bench_corpus_command(CLI::App& bench);
void add_bench_ops_command(CLI::App& bench);
void add_bench_products_command(CLI::App& bench);
void add_bench_exchange_command(CLI::App& bench);

}  // namespace kette::cli

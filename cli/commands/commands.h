// The commands of `kette`. Each registers itself: its options, and what it does once they are read.
#pragma once

#include "cli/config_file.h"
#include "cli/options.h"

namespace kette::cli {

void add_train_command(CLI::App& program);
void add_check_command(CLI::App& program);
void add_tokenize_command(CLI::App& program);
void add_split_command(CLI::App& program);
void add_translate_command(CLI::App& program);
void add_generate_command(CLI::App& program);
void add_fill_command(CLI::App& program);
void add_evaluate_command(CLI::App& program);
void add_bleu_command(CLI::App& program);
void add_score_command(CLI::App& program);
void add_parse_command(CLI::App& program);
void add_parse_score_command(CLI::App& program);
void add_explain_command(CLI::App& program);
void add_plot_command(CLI::App& program);
void add_sweep_command(CLI::App& program);
void add_compare_command(CLI::App& program);
void add_heads_command(CLI::App& program);
void add_patch_command(CLI::App& program);
void add_lab_command(CLI::App& program);
void add_average_command(CLI::App& program);
void add_merge_command(CLI::App& program);
void add_quantize_command(CLI::App& program);
void add_lexicon_command(CLI::App& program);
void add_import_command(CLI::App& program);
void add_export_command(CLI::App& program);
void add_gradcheck_command(CLI::App& program);
void add_info_command(CLI::App& program);
void add_trace_command(CLI::App& program);
void add_tape_command(CLI::App& program);
void add_bench_command(CLI::App& program);

// What `kette bench` measures.
void add_bench_train_command(CLI::App& bench);
void add_bench_translate_command(CLI::App& bench);
void add_bench_generate_command(CLI::App& bench);
void add_bench_tokenize_command(CLI::App& bench);
void add_bench_ops_command(CLI::App& bench);
void add_bench_products_command(CLI::App& bench);

}  // namespace kette::cli

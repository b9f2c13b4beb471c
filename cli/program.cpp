#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <new>
#include <stdexcept>

#include "cli/arguments.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/options.h"
#include "cli/version.h"
#include "data/files/visible_text.h"

namespace kette::cli {
namespace {

/// Shows a flag that can be taken back without CLI11's "{false}", what its opposite gives.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    const std::string value = "{false}";
    const std::size_t at = name.find(value);
    return at == std::string::npos ? name : name.erase(at, value.size());
  }
};

void add_commands(CLI::App& program) {
  program.formatter(std::make_shared<HelpFormatter>());
  program.set_version_flag("--version", "kette " + full_version(),
                           "Print the version and the commit, and exit");
  program.get_formatter()->column_width(38);
  require_command(program);
  program.footer(
      "kette COMMAND --help tells more. Any option can stand in a file: --config run.toml");
  add_train_command(program);
  add_check_command(program);
  add_tokenize_command(program);
  add_split_command(program);
  add_translate_command(program);
  add_generate_command(program);
  add_fill_command(program);
  add_evaluate_command(program);
  add_bleu_command(program);
  add_score_command(program);
  add_parse_command(program);
  add_parse_score_command(program);
  add_average_command(program);
  add_merge_command(program);
  add_quantize_command(program);
  add_lexicon_command(program);
  add_import_command(program);
  add_export_command(program);
  add_explain_command(program);
  add_plot_command(program);
  add_sweep_command(program);
  add_compare_command(program);
  add_heads_command(program);
  add_patch_command(program);
  add_lab_command(program);
  add_gradcheck_command(program);
  add_info_command(program);
  add_trace_command(program);
  add_tape_command(program);
  add_bench_command(program);
}

int parse_and_run(CLI::App& program, const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    std::cerr << program.help();
    return 2;
  }
  try {
    parse(program, prepare_arguments(program, arguments));
  } catch (const Exit& exit) {
    return exit.code;
  } catch (const CLI::Success& help_or_version) {
    return program.exit(help_or_version);
  }
  return 0;
}

int complain(const std::string& message, int code) {
  std::cout.flush();
  std::cerr << "kette: " << visible(message) << std::endl;
  return code;
}

/// A disk that is full shows only when the last of the output is written.
int finish_output(int code) {
  errno = 0;
  std::cout.flush();
  if (std::cout.good()) return code;
  return complain(
      std::string("standard output: expected room for all of the output, given none (") +
          std::strerror(errno != 0 ? errno : ENOSPC) + ")",
      1);
}

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  try {
    CLI::App program(
        "Kette trains and runs Transformers (translation, parsing, GPT, BERT) on automatic differentiation written from scratch.",
        "kette");
    add_commands(program);
    return finish_output(parse_and_run(program, arguments));
  } catch (const UsageError& error) {
    return complain(error.what(), 2);
  } catch (const std::bad_alloc&) {
    return complain(
        "memory: expected enough of it, given too little (a smaller batch or model needs less)", 1);
  } catch (const std::length_error&) {
    return complain(
        "memory: expected sizes that a computer can have, given larger ones (look at the numbers on the command line and in the files it names)",
        1);
  } catch (const Error& error) {
    return complain(error.what(), 1);
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(error.path1().string() +
                        ": expected a path that can be used, given a failure (" +
                        error.code().message() + ")",
                    1);
  } catch (const std::exception& error) {
    return complain(
        std::string("expected to cope with every input, given one that was not foreseen (") +
            error.what() + "; please report the command and its files)",
        1);
  }
}

}  // namespace kette::cli

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
#include "cli/processes.h"
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

struct Command {
  const char *name, *help;
  void (*add_options)(CLI::App& command);
  bool is_shared_out = false;  ///< by processes that a launcher has started
};
constexpr Command kCommands[] = {
    {"train", "Train a translation model, a parser, a language model, or a masked one",
     add_train_options, true},
    {"check", "Say what is odd about a parallel corpus before a model learns from it",
     add_check_options},
    {"tokenize", "Turn text into ids that a language model trains on", add_tokenize_options, true},
    {"split", "Cut text into sentences, one a line", add_split_options},
    {"translate", "Translate stdin, a file or sentences: line by line, or a document as a whole",
     add_translate_options, true},
    {"generate", "Let a language model go on from a prompt", add_generate_options, true},
    {"fill",
     "What a masked language model expects at each [MASK] of a text, or of stdin line by line; each mask is judged by itself",
     add_fill_options},
    {"evaluate", "Score a translation model on a test set, or a language model on a text",
     add_evaluate_options, true},
    {"bleu", "Score translations on stdin against references", add_bleu_options},
    {"score", "Log-probabilities of given translations", add_score_options, true},
    {"parse", "Write the constituency tree of each line, or score such trees", add_parse_options,
     true},
    {"parse-score", "Score constituency trees against gold ones, as evalb does",
     add_parse_score_options},
    {"average", "Average checkpoints of one training run", add_average_options},
    {"merge", "Merge low-rank adapters into the model they sit on", add_merge_options},
    {"quantize", "Write a model in fewer bits, to decode with", add_quantize_options},
    {"lexicon", "Learn what source pieces become, for --shortlist, into a model's directory",
     add_lexicon_options},
    {"import", "Make a model directory of a model of Hugging Face's transformers",
     add_import_options},
    {"export", "Write a model for Hugging Face's transformers", add_export_options},
    {"explain", "Show how a model came to a translation, or reads a text, as a page",
     add_explain_options},
    {"plot", "Show how training runs went, as tables and as a page of curves", add_plot_options},
    {"sweep", "Train and score the runs of a file, and make a table of them", add_sweep_options},
    {"compare",
     "Show where two models part: settings, parameters, and every point of a pass (exit code 1 if they do, 2 where that cannot be told)",
     add_compare_options},
    {"heads", "Show what each attention head does, and what the model is without it",
     add_heads_options},
    {"patch", "Show where in a model the difference between two texts travels", add_patch_options},
    {"lab",
     "Repeat an experiment of a paper: its claims, what is measured here, whether they hold (exit code 1 if one does not)",
     add_lab_options},
    {"gradcheck", "Check gradients against central differences in f64", add_gradcheck_options},
    {"info", "Show the machine, and what a preset or a model costs", add_info_options, true},
    {"trace", "Trace a step: its time and its memory, op by op", add_trace_options},
    {"tape", "Show the tape of a training step", add_tape_options},
    {"bench", "Measure speed", add_bench_options},
};

/// All of them by name, and of the one that is wanted its options: those of all take longer than many a command.
void add_commands(CLI::App& program, const std::vector<std::string>& arguments) {
  const std::string wanted = arguments.empty() ? "" : arguments.front();
  const bool is_exchange = arguments.size() > 1 && wanted == "bench" && arguments[1] == "exchange";
  program.formatter(std::make_shared<HelpFormatter>());
  program.set_version_flag("--version", "kette " + full_version(),
                           "Print the version and the commit, and exit");
  program.get_formatter()->column_width(38);
  require_command(program);
  program.footer(
      "kette COMMAND --help tells more. Any option can stand in a file: --config run.toml");
  for (const auto& [name, help, add_options, is_shared_out] : kCommands) {
    CLI::App& command = add_command(program, name, help);
    if (name != wanted) continue;
    add_options(command);
    if (is_shared_out) add_process_options(command);
    if (!is_shared_out && !is_exchange) check_is_one(name);
  }
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
  const std::string who = who_says(false);
  std::cout.flush();
  std::cerr << "kette: " + who + visible(message) << std::endl;
  end_processes(code);
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

int run_alone(const std::vector<std::string>& arguments) {
  try {
    CLI::App program(
        "Kette trains and runs Transformers (translation, parsing, GPT, BERT) on automatic differentiation written from scratch.",
        "kette");
    add_commands(program, arguments);
    return finish_output(parse_and_run(program, arguments));
  } catch (const SharedError& error) {
    if (error.is_mine) std::cerr << who_says(true) + "kette: " + visible(error.what()) << std::endl;
    return 1;
  } catch (const UsageError& error) {
    return complain(error.what(), 2);
  } catch (const std::bad_alloc&) {
    return complain(kOutOfMemory, 1);
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
  } catch (const std::system_error& error) {  // of std::thread
    return complain(std::string("threads: expected room for one more, given none (") +
                        error.code().message() + "; ulimit says what a program may have)",
                    1);
  } catch (const std::exception& error) {
    return complain(
        std::string("expected to cope with every input, given one that was not foreseen (") +
            error.what() + "; please report the command and its files)",
        1);
  }
}

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  const int code = run_alone(arguments);
  leave_processes();
  return code;
}

}  // namespace kette::cli

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
#include "cli/host.h"
#include "cli/options.h"
#include "cli/processes.h"
#include "cli/version.h"
#include "data/files/visible_text.h"
#include "tensor/with_threads.h"

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
  for (const Command* one : commands()) {
    CLI::App& command = add_command(program, one->name, one->help);
    if (one->name != wanted) continue;
    one->add_options(command);
    if (one->is_shared_out && Host::current() == nullptr) add_process_options(command);
    if (!one->is_shared_out && !is_exchange) check_is_one(one->name);
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

int run_command(CommandHost& host, const std::vector<std::string>& arguments) {
  const WithThreads kept(0);  // a command sets its own
  const Host::Scope scope(&host);
  CLI::App program("", "kette");
  add_commands(program, arguments);
  try {
    parse(program, prepare_arguments(program, arguments));
  } catch (const Exit& exit) {
    return exit.code;
  } catch (const CLI::Success&) {
    host.out() << program.help();
  }
  return 0;
}

}  // namespace kette::cli

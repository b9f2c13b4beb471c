#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <stdexcept>

#include "cli/arguments.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/host.h"
#include "cli/option_tree.h"
#include "cli/processes.h"
#include "data/files/visible_text.h"
#include "tensor/with_threads.h"

namespace kette::cli {
namespace {

std::shared_ptr<CLI::App> program_for(const std::vector<std::string>& arguments) {
  const std::string wanted = arguments.empty() ? "" : arguments.front();
  const bool is_exchange = arguments.size() > 1 && wanted == "bench" && arguments[1] == "exchange";
  for (const Command* one : commands()) {
    if (one->name == wanted && !one->is_shared_out && !is_exchange) check_is_one(one->name);
  }
  return make_program([&](const std::string& name) { return name == wanted; });
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
    return finish_output(parse_and_run(*program_for(arguments), arguments));
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
  const std::shared_ptr<CLI::App> program = program_for(arguments);
  try {
    parse(*program, prepare_arguments(*program, arguments));
  } catch (const Exit& exit) {
    return exit.code;
  } catch (const CLI::Success&) {
    host.out() << program->help();
  }
  return 0;
}

}  // namespace kette::cli

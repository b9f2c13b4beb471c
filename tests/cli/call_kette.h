// Runs a command of the program within this process: what it prints and its exit code, as run_kette.h has them, for tests of
// what a command does. What has to be a program of its own (signals, limits, a full disk, several processes, an environment of
// its own, a sweep, which starts the program that it is) is for run_kette().
#pragma once

#include <fcntl.h>
#include <omp.h>
#include <unistd.h>

#include <iostream>
#include <stdexcept>

#include "cli/program.h"
#include "tests/cli/run_kette.h"

namespace kette::testing {

/// A file in the place of stdin, stdout or stderr, for a scope.
class Redirected {
 public:
  Redirected(int descriptor, const std::filesystem::path& file, int flags)
      : descriptor_(descriptor), before_(::dup(descriptor)) {
    const int opened = ::open(file.c_str(), flags, 0644);
    ::dup2(opened, descriptor);
    ::close(opened);
  }
  ~Redirected() {
    ::dup2(before_, descriptor_);
    ::close(before_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int descriptor_, before_;
};

/// input: on stdin.
inline Outcome call_kette(const std::vector<std::string>& arguments,
                          const std::string& input = "") {
  if (!arguments.empty() && arguments.front() == "sweep") {
    throw std::logic_error("call_kette: expected a command that starts no program, given sweep");
  }
  const ScratchFolder folder;
  write_file(folder / "in", input);
  const int threads = omp_get_max_threads();
  Outcome outcome;
  std::cout.flush();
  {
    const Redirected in(STDIN_FILENO, folder / "in", O_RDONLY),
        out(STDOUT_FILENO, folder / "out", O_WRONLY | O_CREAT | O_TRUNC),
        err(STDERR_FILENO, folder / "err", O_WRONLY | O_CREAT | O_TRUNC);
    outcome.code = cli::run_program(arguments);
    std::cout.flush();
    std::cerr.flush();
  }
  omp_set_num_threads(threads);
  outcome.out = read_file(folder / "out");
  outcome.err = read_file(folder / "err");
  return outcome;
}

}  // namespace kette::testing

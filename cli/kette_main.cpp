// The entry of the program `kette`.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>

#include "cli/program.h"

namespace {

constexpr rlim_t kOpenFiles = 65536;

/// Where memory runs out within what must not throw, as destructors of libraries that take some, the program ends at
/// once. It says why, with what it has.
[[noreturn]] void end_at_once() {
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    const std::string_view message = kette::cli::kOutOfMemory;
    for (const std::string_view part :
         {std::string_view("kette: "), message, std::string_view("\n")}) {
      if (::write(STDERR_FILENO, part.data(), part.size()) < 0) break;
    }
    std::_Exit(1);
  } catch (...) {
  }
  std::abort();
}

}  // namespace

int main(int count, char** arguments) {
  std::set_terminate(end_at_once);
  // A file that grows past the system's limit shall be an error with its name, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  // The shards of a corpus stay open, which may be more than the shell allows at first.
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < kOpenFiles) {
    files.rlim_cur = std::min<rlim_t>(files.rlim_max, kOpenFiles);
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  const int code = kette::cli::run_program({arguments + (count > 0 ? 1 : 0), arguments + count});
  rlimit space{};
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    // OpenBLAS's threads, which are there from the start, ask for memory until they have some, and an ordinary end waits
    // for them.
    std::cout.flush();
    std::_Exit(code);
  }
  return code;
}

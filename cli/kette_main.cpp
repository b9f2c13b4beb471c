// The entry of the program `kette`.
#include <csignal>

#include "cli/program.h"

int main(int count, char** arguments) {
  // A file that grows past the system's limit shall be an error with its name, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  return kette::cli::run_program({arguments + (count > 0 ? 1 : 0), arguments + count});
}

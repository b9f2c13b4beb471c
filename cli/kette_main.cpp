// The entry of the program `kette`.
#include "cli/program.h"

int main(int count, char** arguments) {
  return kette::cli::run_program({arguments + (count > 0 ? 1 : 0), arguments + count});
}

// Runs the project's scripts as a person would.
#pragma once

#include "tests/cli/run_kette.h"

namespace kette::testing {

/// Runs a command of bash in the source tree; code and all that it prints.
inline Outcome run_bash(const std::string& command) {
  const ScratchFolder folder;
  write_file(folder / "command", command);
  const std::string log = (folder / "log").string();
  const int status = std::system(("cd '" + source_folder().string() + "' && bash '" +
                                  (folder / "command").string() + "' > '" + log + "' 2>&1")
                                     .c_str());
  return {WEXITSTATUS(status), read_file(log), {}};
}

}  // namespace kette::testing

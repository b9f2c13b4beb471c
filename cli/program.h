// The program `kette`: its commands, and what becomes of errors. Exit codes: 0 done, 1 something
// went wrong, 2 the command line makes no sense.
#pragma once

#include <string>
#include <vector>

namespace kette::cli {

inline constexpr const char* kOutOfMemory =
    "memory: expected enough of it, given too little (a smaller batch or model needs less)";

int run_program(const std::vector<std::string>& arguments);

}  // namespace kette::cli

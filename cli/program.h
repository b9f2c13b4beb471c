// The program `kette`: runs its commands and prints errors. Exit codes: 0 success, 1 error, 2 invalid
// command line.
#pragma once

#include <string>
#include <vector>

namespace kette::cli {

inline constexpr const char* kOutOfMemory =
    "memory: expected enough of it, given too little (a smaller batch or model needs less)";

int run_program(const std::vector<std::string>& arguments);

}  // namespace kette::cli

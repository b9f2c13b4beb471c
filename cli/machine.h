// What Kette runs on: the CPU, and which of its kernel libraries the system's loader took.
#pragma once

#include <string>

namespace kette::cli {

/// "AMD EPYC 9B14", or "unknown".
std::string cpu_name();

/// "x86-64-v4 (AVX-512)", "x86-64-v3 (AVX2)" or "portable": the level of the loaded kernel library.
std::string kernel_level();

}  // namespace kette::cli

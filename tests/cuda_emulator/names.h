// Names of kernels, for counting.
#pragma once

#include <string>

namespace emulator {

/// A function's name without its namespaces and arguments. Kernels are local to their files, so it
/// comes from the library's own table of symbols.
const std::string& name_of(const void* function);

}  // namespace emulator

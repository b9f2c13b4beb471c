#include "cli/machine.h"

#include <dlfcn.h>

#include <fstream>

#include "tensor/cpu/blas.h"

namespace kette::cli {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string kernel_level() {
  Dl_info info{};
  const auto* address = reinterpret_cast<const void*>(&cpu::blas_core);
  const std::string path =
      dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
  if (path.find("x86-64-v4") != std::string::npos) return "x86-64-v4 (AVX-512)";
  if (path.find("x86-64-v3") != std::string::npos) return "x86-64-v3 (AVX2)";
  return "portable";
}

}  // namespace kette::cli

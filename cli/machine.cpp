#include "cli/machine.h"

#include <dlfcn.h>

#include <chrono>
#include <fstream>
#include <vector>

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

double seconds_to_read(std::int64_t bytes, int threads) {
  const std::vector<std::uint64_t> memory(static_cast<std::size_t>(bytes) / 8, 1);
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t total = 0;
#pragma omp parallel for simd schedule(static) num_threads(threads) reduction(+ : total)
  for (std::size_t i = 0; i < memory.size(); ++i) total += memory[i];
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  // The sum is looked at, so that the loop is not left out.
  return total == memory.size() ? seconds : 0;
}

}  // namespace kette::cli

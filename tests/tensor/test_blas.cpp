#include <doctest/doctest.h>
#include <omp.h>

#include <cstdlib>
#include <sstream>

#include "tensor/cpu/blas.h"
#include "tensor/machine.h"

using namespace kette;

TEST_CASE("other programs compute where processors were busy and are") {
  const auto busy = [](const char* loadavg) {
    std::istringstream text(loadavg);
    return others_compute(text);
  };
  CHECK(busy("1.02 0.40 0.20 2/345 1234\n"));
  CHECK_FALSE(busy("1.02 0.40 0.20 1/345 1234\n"));  // what was busy has ended
  CHECK_FALSE(busy("0.10 0.40 0.20 3/345 1234\n"));  // something short
  CHECK_FALSE(busy(""));
}

TEST_CASE("a program whose threads yield sooner computes as before") {
  const auto sum = [] {
    std::int64_t total = 0;
#pragma omp parallel for num_threads(3) reduction(+ : total)
    for (std::int64_t i = 0; i < 1000; ++i) total += i;
    return total;
  };
  yield_sooner();
  yield_sooner();
  CHECK(sum() == 499500);
}

TEST_CASE("OpenBLAS has a core, and choosing it leaves the number of OpenMP threads alone") {
  const int threads = omp_get_max_threads();
  CHECK_FALSE(cpu::blas_core().empty());
  CHECK(omp_get_max_threads() == threads);
}

#ifdef __x86_64__
TEST_CASE("on a CPU with AVX-512 a library that knows AVX-512 cores uses one") {
  if (!__builtin_cpu_supports("avx512dq") || std::getenv("KETTE_BLAS_CORE") != nullptr) {
    MESSAGE("skipped: no AVX-512, or a core was asked for");
    return;
  }
  const std::string core = cpu::blas_core();
  CHECK((core == "SkylakeX" || core == "Cooperlake" || core == "SapphireRapids"));
}
#endif

TEST_CASE("a processor has the name that the system gives it, or that of its numbers") {
  const auto name_in = [](const char* text) {
    std::istringstream lines(text);
    return cpu_name_in(lines);
  };
  CHECK(name_in("processor\t: 0\nmodel name\t: AMD EPYC 9B14\nflags\t\t: fpu\n") ==
        "AMD EPYC 9B14");
  CHECK(name_in("CPU implementer\t: 0x41\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n") ==
        "Arm Neoverse N1");
  CHECK(name_in("CPU implementer\t: 0x61\nCPU part\t: 0x022\n") == "implementer 0x61, part 0x022");
  CHECK(name_in("processor\t: 0\n") == "unknown");
  CHECK_FALSE(cpu_name().empty());
}

TEST_CASE("the kernels in use are those that the processor is for") {
#ifdef __aarch64__
  CHECK(kernel_level() == "aarch64 (NEON)");
  CHECK((int8_kernels().starts_with("neon") || std::getenv("KETTE_INT8") != nullptr));
#else
  CHECK((kernel_level() == "portable" || kernel_level().starts_with("x86-64-v")));
#endif
}

TEST_CASE("the sgemm limit is measured as a plausible rate") {
  const double gflops = measure_sgemm_gflops(1, 128);
  CHECK(gflops > 0.05);
  CHECK(gflops < 20000);
}

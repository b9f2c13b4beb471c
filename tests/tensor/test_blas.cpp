#include <doctest/doctest.h>
#include <omp.h>

#include <cstdlib>

#include "tensor/cpu/blas.h"
#include "tensor/machine.h"

using namespace kette;

TEST_CASE("OpenBLAS has a core, and choosing it leaves the number of OpenMP threads alone") {
  const int threads = omp_get_max_threads();
  CHECK_FALSE(cpu::blas_core().empty());
  CHECK(omp_get_max_threads() == threads);
}

TEST_CASE("on a CPU with AVX-512 a library that knows AVX-512 cores uses one") {
  if (!__builtin_cpu_supports("avx512dq") || std::getenv("KETTE_BLAS_CORE") != nullptr) {
    MESSAGE("skipped: no AVX-512, or a core was asked for");
    return;
  }
  const std::string core = cpu::blas_core();
  CHECK((core == "SkylakeX" || core == "Cooperlake" || core == "SapphireRapids"));
}

TEST_CASE("the sgemm limit is measured as a plausible rate") {
  const double gflops = measure_sgemm_gflops(1, 128);
  CHECK(gflops > 0.05);
  CHECK(gflops < 20000);
}

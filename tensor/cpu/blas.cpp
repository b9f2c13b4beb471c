#include "tensor/cpu/blas.h"

#include <cblas.h>
#include <omp.h>
#include <strings.h>

#include <algorithm>
#include <cstdlib>

#include "tensor/error.h"

// Makes a library built for many CPUs choose its kernels again; one built for one CPU lacks it.
extern "C" {
[[gnu::weak]] void gotoblas_dynamic_quit();
[[gnu::weak]] void gotoblas_dynamic_init();
}

namespace kette::cpu {
namespace {

bool same_name(const std::string& a, const std::string& b) {
  return strcasecmp(a.c_str(), b.c_str()) == 0;
}

bool has_avx512() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

bool has_avx2() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

/// The core to request instead of `chosen`; empty if that one suits the CPU.
std::string better_core(const std::string& chosen) {
  const auto is_any_of = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(),
                       [&](auto name) { return same_name(chosen, name); });
  };
  if (is_any_of({"SkylakeX", "Cooperlake", "SapphireRapids"})) return "";
  if (has_avx512()) return "SkylakeX";
  if (is_any_of({"Haswell", "Zen"})) return "";
  return has_avx2() ? "Haswell" : "";
}

void choose_core(const std::string& name) {
  ::setenv("OPENBLAS_CORETYPE", name.c_str(), 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  ::unsetenv("OPENBLAS_CORETYPE");  // not for child processes
}

bool prepare() {
  const char* asked = std::getenv("KETTE_BLAS_CORE");
  const bool can_choose = gotoblas_dynamic_init != nullptr && gotoblas_dynamic_quit != nullptr;
  if (asked != nullptr && *asked != '\0') {
    if (can_choose) choose_core(asked);
    KETTE_CHECK(
        same_name(asked, openblas_get_corename()),
        "KETTE_BLAS_CORE: expected a core that this OpenBLAS has (SkylakeX, Haswell, Zen, ...), given ",
        asked, "; without the variable the best one is chosen");
  } else if (can_choose) {
    const std::string better = better_core(openblas_get_corename());
    if (!better.empty()) choose_core(better);
  }
  // The OpenMP build of OpenBLAS passes this on to omp_set_num_threads, which Kette sets itself.
  const int threads = omp_get_max_threads();
  openblas_set_num_threads(1);
  omp_set_num_threads(threads);
  return true;
}

CBLAS_TRANSPOSE flag(bool transpose) { return transpose ? CblasTrans : CblasNoTrans; }
blasint narrow(std::int64_t size) { return static_cast<blasint>(size); }

}  // namespace

void prepare_blas() { [[maybe_unused]] static const bool ready = prepare(); }

std::string blas_core() {
  prepare_blas();
  return openblas_get_corename();
}

void gemm(const GemmShape& s, float alpha, const float* a, const float* b, float beta, float* c) {
  cblas_sgemm(CblasRowMajor, flag(s.transpose_a), flag(s.transpose_b), narrow(s.m), narrow(s.n),
              narrow(s.k), alpha, a, narrow(s.lda), b, narrow(s.ldb), beta, c, narrow(s.ldc));
}

void gemm(const GemmShape& s, double alpha, const double* a, const double* b, double beta,
          double* c) {
  cblas_dgemm(CblasRowMajor, flag(s.transpose_a), flag(s.transpose_b), narrow(s.m), narrow(s.n),
              narrow(s.k), alpha, a, narrow(s.lda), b, narrow(s.ldb), beta, c, narrow(s.ldc));
}

}  // namespace kette::cpu
